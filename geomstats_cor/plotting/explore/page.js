"use strict";
// The controls, and what follows when they move.
const Page = (() => {
  // The palette of the library, by metric.
  const COLORS = Object.fromEntries([...document.querySelectorAll("input[name=metric]")].map(
    (input) => [input.value, input.dataset.color]));
  const COARSE = { resolution: 12, tolerance: 1e-3 };
  const FINE = { resolution: 20, tolerance: 1e-7 };
  const STEPS = 60;
  const SETTLE = 180; // milliseconds without a change, after which the fine grid is used

  const element = (id) => document.getElementById(id);
  const number = (id) => Number(element(id).value);
  const format = (value) => value.toFixed(3).replace("-", "−");

  const picture = new View.Picture(element("picture"));
  const grids = new Map();
  let settling = 0;
  let queued = false;
  let pending = COARSE;

  const metricKey = () => document.querySelector("input[name=metric]:checked").value;

  // The correlations 21 and 31, and the partial correlation of 2 and 3 given 1: any
  // three numbers between -1 and 1 are a correlation matrix.
  function endPoint(name) {
    const angles = ["x", "y", "z"].map((axis) => Math.asin(number(`${name}-${axis}`)));
    return Surfaces.entriesFromAngles(angles);
  }

  function gridOf(key, resolution) {
    const name = `${key} ${resolution}`;
    if (!grids.has(name)) {
      grids.set(name, Surfaces.grid(Geometry.metrics[key], resolution));
    }
    return grids.get(name);
  }

  function hyperplane() {
    return { normal: ["x", "y", "z"].map((axis) => number(`normal-${axis}`)), offset: number("offset") };
  }

  function geodesic(key, start, end) {
    const points = [];
    for (let k = 0; k <= STEPS; k++) {
      points.push(Geometry.metrics[key].geodesic(start, end, k / STEPS));
    }
    return points;
  }

  function compute({ resolution, tolerance }) {
    const key = metricKey();
    const metric = Geometry.metrics[key];
    const plane = hyperplane();
    const [start, end] = [endPoint("start"), endPoint("end")];
    const empty = plane.normal.every((value) => value === 0);
    let surface = null;
    if (!empty && element("show-plane").checked) {
      surface = Surfaces.levelSet(metric, gridOf(key, resolution), metric.margin(plane), tolerance);
      surface.color = COLORS[key];
      surface.name = "hyperplane";
    }
    const keys = element("show-all").checked ? Object.keys(Geometry.metrics) : [key];
    const curves = keys.map((each) => ({
      points: geodesic(each, start, end),
      color: each === key ? "#000000" : COLORS[each],
      width: each === key ? 3 : 2.2,
      name: `${Geometry.metrics[each].name} geodesic`,
    }));
    const between = metric.geodesic(start, end, number("time"));
    picture.scene = {
      surface,
      curves,
      points: [
        { entries: start, color: "#000000", label: "A" },
        { entries: end, color: "#000000", label: "B" },
        { entries: between, color: "#CC79A7", label: "X" },
      ],
    };
    report(metric, plane, empty, { start, end, between });
  }

  function table(entries) {
    return Geometry.toMatrix(entries).map((row) =>
      `<tr>${row.map((value) => `<td>${format(value)}</td>`).join("")}</tr>`).join("");
  }

  function report(metric, plane, empty, { start, end, between }) {
    element("matrix-start").innerHTML = table(start);
    element("matrix-end").innerHTML = table(end);
    element("matrix-between").innerHTML = table(between);
    const side = empty ? NaN : metric.margin(plane)(metric.toCoords(between));
    element("side").textContent = empty
      ? "A normal of zero defines no hyperplane."
      : `Side of the point X: ${format(side)}, which is ${metric.formula}.`;
    element("surface-note").textContent =
      !empty && picture.scene.surface && picture.scene.surface.triangles.length === 0
        ? "The hyperplane lies too close to the boundary to be drawn." : "";
    for (const output of document.querySelectorAll("output[for]")) {
      output.textContent = format(number(output.htmlFor.value));
    }
  }

  function frame() {
    queued = false;
    compute(pending);
    picture.draw();
    element("stage").setAttribute("aria-busy", String(pending !== FINE));
  }

  function request(quality) {
    pending = quality;
    if (queued) return;
    queued = true;
    requestAnimationFrame(frame);
  }

  function changed() {
    element("stage").setAttribute("aria-busy", "true");
    request(COARSE);
    clearTimeout(settling);
    settling = setTimeout(() => request(FINE), SETTLE);
  }

  function hover(event) {
    const box = element("picture").getBoundingClientRect();
    const found = picture.pick(event.clientX - box.left, event.clientY - box.top);
    const tip = element("tip");
    tip.hidden = !found;
    if (!found) return;
    element("tip-name").textContent = found.name || "point";
    element("tip-matrix").innerHTML = table(found.entries);
    const [x, y] = found.position;
    tip.style.left = `${Math.min(x + 14, box.width - tip.offsetWidth - 4)}px`;
    tip.style.top = `${Math.min(Math.max(4, y + 14), box.height - tip.offsetHeight - 4)}px`;
  }

  function listen() {
    const canvas = element("picture");
    for (const input of document.querySelectorAll("input")) {
      input.addEventListener("input", changed);
    }
    const held = new Map();
    canvas.addEventListener("pointerdown", (event) => {
      held.set(event.pointerId, [event.clientX, event.clientY]);
      canvas.setPointerCapture(event.pointerId);
      hover(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      const last = held.get(event.pointerId);
      if (!last) return hover(event);
      const now = [event.clientX, event.clientY];
      if (held.size === 1) picture.turn(-0.4 * (now[0] - last[0]), 0.4 * (now[1] - last[1]));
      if (held.size === 2) {
        const other = [...held].find(([id]) => id !== event.pointerId)[1];
        const spread = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]);
        setZoom(picture.zoom * spread(now) / Math.max(1, spread(last)));
      }
      held.set(event.pointerId, now);
      element("tip").hidden = true;
      picture.draw();
    });
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => held.delete(event.pointerId));
    }
    canvas.addEventListener("pointerleave", () => { element("tip").hidden = true; });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      setZoom(picture.zoom * Math.exp(-0.001 * event.deltaY));
      picture.draw();
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const turns = { ArrowLeft: [6, 0], ArrowRight: [-6, 0], ArrowUp: [0, 6], ArrowDown: [0, -6] };
      if (event.key in turns) picture.turn(...turns[event.key]);
      else if (event.key === "+" || event.key === "=") setZoom(picture.zoom * 1.15);
      else if (event.key === "-") setZoom(picture.zoom / 1.15);
      else if (event.key === "Home") picture.home();
      else return;
      event.preventDefault();
      element("tip").hidden = true;
      picture.draw();
    });
    element("start-over").addEventListener("click", () => {
      element("controls").reset();
      picture.home();
      changed();
    });
    new ResizeObserver(() => {
      picture.resize();
      picture.draw();
    }).observe(canvas);
  }

  function setZoom(zoom) {
    picture.zoom = Math.max(0.5, Math.min(4, zoom));
  }

  picture.resize();
  listen();
  changed();
  return { picture };
})();
