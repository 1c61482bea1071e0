"use strict";
// Level sets in the cube of angles that parametrises the elliptope: a surface ends where
// the grid ends, on the boundary.
const Surfaces = (() => {
  // Off the boundary, which is no part of the manifold.
  const SHRINKAGE = 1e-6;

  function entriesFromAngles([a, b, c]) {
    const [x, y] = [Math.sin(a), Math.sin(b)];
    return [x, y, x * y + Math.sin(c) * Math.cos(a) * Math.cos(b)];
  }

  const inside = (angles) => entriesFromAngles(angles).map((v) => (1 - SHRINKAGE) * v);

  // A grid of angles with the coordinates of a metric at its nodes, which do not change
  // when the hyperplane does.
  function grid(metric, resolution) {
    const side = resolution + 1;
    const angle = (k) => Math.PI * (k / resolution - 0.5);
    const nodes = [];
    for (let i = 0; i < side; i++) {
      for (let j = 0; j < side; j++) {
        for (let k = 0; k < side; k++) {
          const angles = [angle(i), angle(j), angle(k)];
          nodes.push({ angles, coords: metric.toCoords(inside(angles)) });
        }
      }
    }
    return { side, nodes };
  }

  // The six tetrahedra of a cell share the diagonal from corner 0 to corner 7; corner
  // bits are the steps along the three axes.
  const TETRAHEDRA = [
    [0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7],
  ];

  // Vertices { entries } and triangles of the set where a margin vanishes.
  function levelSet(metric, { side, nodes }, margin, tolerance = 1e-7) {
    const values = nodes.map((node) => margin(node.coords));
    const vertices = [];
    const known = new Map();

    function vertexOn(a, b) {
      const key = a < b ? a * nodes.length + b : b * nodes.length + a;
      if (!known.has(key)) {
        known.set(key, vertices.length);
        vertices.push(root(a, b));
      }
      return known.get(key);
    }

    // The root between two nodes: secant steps and halvings take turns.
    function root(a, b) {
      const [from, to] = [nodes[a].angles, nodes[b].angles];
      let [low, high, lowValue, highValue] = [0, 1, values[a], values[b]];
      let entries = null;
      for (let step = 0; step < 80; step++) {
        const share = step % 2
          ? 0.5 * (low + high)
          : low + (high - low) * lowValue / (lowValue - highValue);
        entries = inside(from.map((v, k) => v + share * (to[k] - v)));
        const value = margin(metric.toCoords(entries));
        if (Math.abs(value) < tolerance || high - low < 1e-15) break;
        if ((value < 0) === (values[a] < 0)) {
          [low, lowValue] = [share, value];
        } else {
          [high, highValue] = [share, value];
        }
      }
      return entries;
    }

    const triangles = [];
    for (let i = 0; i + 1 < side; i++) {
      for (let j = 0; j + 1 < side; j++) {
        for (let k = 0; k + 1 < side; k++) {
          const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) =>
            ((i + (bits & 1)) * side + j + ((bits >> 1) & 1)) * side + k + (bits >> 2));
          const count = corners.reduce((sum, node) => sum + (values[node] < 0), 0);
          if (count === 0 || count === 8) continue;
          for (const tetrahedron of TETRAHEDRA) {
            const nodesHere = tetrahedron.map((corner) => corners[corner]);
            const below = nodesHere.filter((node) => values[node] < 0);
            const above = nodesHere.filter((node) => !(values[node] < 0));
            if (below.length === 1) {
              triangles.push(above.map((node) => vertexOn(below[0], node)));
            } else if (below.length === 3) {
              triangles.push(below.map((node) => vertexOn(above[0], node)));
            } else if (below.length === 2) {
              const [p, q] = below;
              const [r, s] = above;
              const quad = [vertexOn(p, r), vertexOn(p, s), vertexOn(q, s), vertexOn(q, r)];
              triangles.push([quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]);
            }
          }
        }
      }
    }
    return { vertices, triangles };
  }

  return { grid, levelSet, entriesFromAngles };
})();
