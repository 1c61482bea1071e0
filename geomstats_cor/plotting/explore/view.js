"use strict";
// A picture of the elliptope on a canvas: triangles, curves and points from back to front.
const View = (() => {
  const corners = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]];

  // Ellipses in which planes meet the boundary, and the edges where it is straight.
  function wire(levels = 5, steps = 72) {
    const curves = [];
    for (let level = 1; level <= levels; level++) {
      const s = Math.PI * level / (levels + 1);
      for (let axis = 0; axis < 3; axis++) {
        const curve = [];
        for (let k = 0; k <= steps; k++) {
          const t = 2 * Math.PI * k / steps;
          const point = [Math.cos(s), Math.cos(t), Math.cos(t - s)];
          curve.push([0, 1, 2].map((i) => point[(i + axis) % 3]));
        }
        curves.push(curve);
      }
    }
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < i; j++) curves.push([corners[i], corners[j]]);
    }
    return curves;
  }

  const AXES = [
    { label: "C₂₁", from: [-1, -1, -1], to: [1, -1, -1] },
    { label: "C₃₁", from: [1, -1, -1], to: [1, 1, -1] },
    { label: "C₃₂", from: [-1, -1, -1], to: [-1, -1, 1] },
  ];

  function mix(hex, light) {
    const channels = [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
    const target = light > 0 ? 255 : 0;
    const share = Math.abs(light);
    const mixed = channels.map((c) => Math.round(c + share * (target - c)));
    return `rgb(${mixed.join(",")})`;
  }

  class Picture {
    constructor(canvas) {
      this.canvas = canvas;
      this.context = canvas.getContext("2d");
      this.home();
      this.wire = wire();
      this.scene = { surface: null, curves: [], points: [] };
    }

    home() {
      [this.azimuth, this.elevation, this.zoom] = [-62, 20, 1];
    }

    turn(azimuth, elevation) {
      this.azimuth += azimuth;
      this.elevation = Math.max(-89, Math.min(89, this.elevation + elevation));
    }

    // The map from space to a position on the canvas, and the depth towards the viewer.
    camera() {
      const [a, e] = [this.azimuth, this.elevation].map((degrees) => degrees * Math.PI / 180);
      const [sinA, cosA, sinE, cosE] = [Math.sin(a), Math.cos(a), Math.sin(e), Math.cos(e)];
      const { width, height } = this;
      const size = 6 * this.zoom * Math.min(width, height) / 3.6;
      return (point) => {
        const [x, y, z] = point;
        const away = x * cosA + y * sinA;
        const depth = z * sinE + away * cosE;
        const scale = size / (6 - depth);
        const right = y * cosA - x * sinA;
        const up = z * cosE - away * sinE;
        return [width / 2 + scale * right, height / 2 - scale * up, depth];
      };
    }

    resize() {
      const { width, height } = this.canvas.getBoundingClientRect();
      [this.width, this.height] = [width, height];
      const ratio = window.devicePixelRatio || 1;
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    }

    draw() {
      const { context } = this;
      this.project = this.camera();
      context.clearRect(0, 0, this.width, this.height);
      context.lineJoin = context.lineCap = "round";
      const wireItems = this.wireItems();
      this.drawAxes();
      wireItems.filter((item) => item.depth < 0).forEach((item) => item.paint());
      const points = this.pointItems();
      const solid = [...this.surfaceItems(), ...this.curveItems(), ...points];
      solid.sort((a, b) => a.depth - b.depth).forEach((item) => item.paint());
      // What the surface hides shows through it faintly.
      context.globalAlpha = 0.35;
      this.scene.curves.forEach(({ points: path, color, width }) =>
        this.stroke(path.map(this.project), color, width));
      points.forEach((item) => item.paint());
      context.globalAlpha = 1;
      wireItems.filter((item) => item.depth >= 0).forEach((item) => item.paint());
      this.drawLabels();
    }

    stroke(path, color, width) {
      const { context } = this;
      context.strokeStyle = color;
      context.lineWidth = width;
      context.beginPath();
      path.forEach(([x, y]) => context.lineTo(x, y));
      context.stroke();
    }

    lineItems(curves, style) {
      return curves.flatMap((curve) => {
        const path = curve.map(this.project);
        return path.slice(1).map((end, k) => ({
          depth: 0.5 * (path[k][2] + end[2]),
          paint: () => this.stroke([path[k], end], ...style(0.5 * (path[k][2] + end[2]))),
        }));
      });
    }

    wireItems() {
      return this.lineItems(this.wire, (depth) =>
        [depth < 0 ? "rgba(90,90,90,0.22)" : "rgba(60,60,60,0.30)", 0.8]);
    }

    curveItems() {
      // Half a step towards the viewer, so that a curve in a surface is not cut by it.
      return this.scene.curves.flatMap(({ points, color, width }) =>
        this.lineItems([points], () => [color, width]).map((item) =>
          ({ ...item, depth: item.depth + 0.03 })));
    }

    pointItems() {
      const { context } = this;
      return this.scene.points.map(({ entries, color, label }) => {
        const [x, y, depth] = this.project(entries);
        const paint = () => {
          context.fillStyle = color;
          context.strokeStyle = "#fff";
          context.lineWidth = 1.5;
          context.beginPath();
          context.arc(x, y, 6, 0, 2 * Math.PI);
          context.fill();
          context.stroke();
          context.font = "600 14px system-ui, sans-serif";
          context.strokeStyle = "rgba(255,255,255,0.85)";
          context.lineWidth = 3;
          context.strokeText(label, x + 9, y - 8);
          context.fillText(label, x + 9, y - 8);
        };
        return { depth: depth + 0.06, paint };
      });
    }

    surfaceItems() {
      const { surface } = this.scene;
      if (!surface) return [];
      const { context } = this;
      const path = surface.vertices.map(this.project);
      return surface.triangles.map((triangle) => {
        const [p, q, r] = triangle.map((k) => path[k]);
        const normal = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
        const [a, b, c] = triangle.map((k) => surface.vertices[k]);
        const color = mix(surface.color, shade(a, b, c));
        const paint = () => {
          if (normal === 0) return;
          context.fillStyle = context.strokeStyle = color;
          context.lineWidth = 0.7; // closes the seams between neighbours
          context.beginPath();
          context.moveTo(p[0], p[1]);
          context.lineTo(q[0], q[1]);
          context.lineTo(r[0], r[1]);
          context.closePath();
          context.fill();
          context.stroke();
        };
        return { depth: (p[2] + q[2] + r[2]) / 3, paint };
      });
    }

    drawAxes() {
      for (const { from, to } of AXES) {
        this.stroke([from, to].map(this.project), "rgba(0,0,0,0.55)", 1.1);
      }
    }

    drawLabels() {
      const { context } = this;
      context.font = "13px system-ui, sans-serif";
      context.textAlign = "center";
      context.fillStyle = "#222";
      context.strokeStyle = "rgba(255,255,255,0.85)";
      context.lineWidth = 3;
      for (const { label, from, to } of AXES) {
        const beyond = to.map((v, k) => v + 0.16 * Math.sign(v - from[k]));
        const [x, y] = this.project(beyond);
        context.strokeText(label, x, y + 4);
        context.fillText(label, x, y + 4);
      }
      context.textAlign = "start";
    }

    // The vertex, curve point or end point closest to a position, the front one of near
    // ties; null if none is within reach.
    pick(x, y, reach = 14) {
      const { surface, curves, points } = this.scene;
      const candidates = [
        ...points.map(({ entries }) => ({ entries, bonus: 5 })),
        ...curves.flatMap((curve) =>
          curve.points.map((entries) => ({ entries, bonus: 3, name: curve.name }))),
        ...(surface ? surface.vertices.map((entries) =>
          ({ entries, bonus: 0, name: surface.name })) : []),
      ];
      let best = null;
      for (const candidate of candidates) {
        const [u, v, depth] = this.project(candidate.entries);
        const distance = Math.hypot(u - x, v - y);
        const cost = distance - candidate.bonus - 6 * depth;
        if (distance < reach && (!best || cost < best.cost)) {
          best = { ...candidate, cost, position: [u, v] };
        }
      }
      return best;
    }
  }

  // Light from above and from the right of the box, the same on both sides.
  function shade(a, b, c) {
    const [u, v] = [b, c].map((point) => point.map((value, k) => value - a[k]));
    const normal = [
      u[1] * v[2] - u[2] * v[1],
      u[2] * v[0] - u[0] * v[2],
      u[0] * v[1] - u[1] * v[0],
    ];
    const length = Math.hypot(...normal) || 1;
    const light = Math.abs(0.4 * normal[0] - 0.3 * normal[1] + 0.87 * normal[2]) / length;
    return 0.55 * light - 0.12;
  }

  return { Picture };
})();
