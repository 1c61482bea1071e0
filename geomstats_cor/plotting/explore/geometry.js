"use strict";
// The five metrics on 3 x 3 correlation matrices. A matrix is given by its entries
// [C21, C31, C32]; coordinates are those of `to_coords` of the Python library.
const Geometry = (() => {
  const { multiply, transpose, dot, norm, eigen, compose, mapSpectrum, solve } = Matrices;

  const toMatrix = ([x, y, z]) => [[1, x, y], [x, 1, z], [y, z, 1]];
  const toEntries = (m) => [m[1][0], m[2][0], m[2][1]];

  // Scale a positive definite matrix to unit diagonal.
  const correlation = (m) =>
    [[1, 0], [2, 0], [2, 1]].map(([i, j]) => m[i][j] / Math.sqrt(m[i][i] * m[j][j]));

  // --- Cholesky: the strict lower entries of Diag(L)^-1 L -------------------------
  function theta(entries) {
    const x = entries[0];
    const y = entries[1];
    const z = entries[2];
    const second = Math.sqrt((1 - x) * (1 + x));
    const row = (z - x * y) / second;
    const third = Math.sqrt(1 - y * y - row * row);
    return [x / second, y / third, row / third];
  }

  function thetaInverse([a, b, c]) {
    const second = Math.hypot(a, 1);
    const third = Math.hypot(b, c, 1);
    return [a / second, b / third, (a * b + c) / (second * third)];
  }

  const logUnitLower = ([a, b, c]) => [a, b - 0.5 * a * c, c];
  const expStrictlyLower = ([a, b, c]) => [a, b + 0.5 * a * c, c];

  // --- Off-log: the logarithm without its diagonal --------------------------------
  const offLog = (entries) =>
    toEntries(mapSpectrum(toMatrix(entries), Math.log)).map((h) => Math.SQRT2 * h);

  // (e^a - e^b) / (a - b), without cancellation.
  function expQuotient(a, b) {
    const gap = Math.abs(a - b);
    return Math.exp(Math.max(a, b)) * (gap === 0 ? 1 : -Math.expm1(-gap) / gap);
  }

  // D such that exp(H + D) has unit diagonal: the minimum of tr exp(H + D) - tr D.
  // A Newton step that gains less than a quarter of what -log(diagonal) gains for sure
  // (Golden-Thompson) is replaced by that step.
  function offExp(coords) {
    const [x, y, z] = coords.map((h) => h / Math.SQRT2);
    const at = (d) => {
      const { values, vectors } = eigen([[d[0], x, y], [x, d[1], z], [y, z, d[2]]]);
      const exponential = compose(values.map(Math.exp), vectors);
      const c = [0, 1, 2].map((i) => exponential[i][i]);
      const objective = c[0] + c[1] + c[2] - d[0] - d[1] - d[2];
      return { d, values, vectors, exponential, c, objective };
    };
    let state = at([0, 0, 0]);
    for (let step = 0; step < 500; step++) {
      const { d, values, vectors, c } = state;
      const logs = c.map(Math.log);
      if (Math.max(...logs.map(Math.abs)) < 4e-15) break;
      const jacobian = vectors.map((u) => vectors.map((w) => {
        let sum = 0;
        for (let a = 0; a < 3; a++) {
          for (let b = 0; b < 3; b++) {
            sum += u[a] * w[a] * u[b] * w[b] * expQuotient(values[a], values[b]);
          }
        }
        return sum;
      }));
      const move = solve(jacobian, c.map((value, i) => value * logs[i]));
      const sure = c.reduce((sum, value, i) => sum + value - 1 - logs[i], 0);
      const newton = at(d.map((value, i) => value - move[i]));
      const good = newton.objective <= state.objective - 0.25 * sure
        || Math.max(...logs.map(Math.abs)) < 1e-4;
      state = good ? newton : at(d.map((value, i) => value - logs[i]));
    }
    return correlation(state.exponential);
  }

  // --- Log-scaling: the logarithm once all row sums are one -----------------------
  const helmert = [
    [Math.SQRT1_2, 1 / Math.sqrt(6)],
    [-Math.SQRT1_2, 1 / Math.sqrt(6)],
    [0, -2 / Math.sqrt(6)],
  ];

  // x > 0 with x * (C x) = 1, by Newton's method with the step that minimises a bound.
  function scaling([xy, xz, yz]) {
    let [p, q, r] = [1, 1, 1];
    let before = Infinity;
    for (let step = 0; step < 200; step++) {
      const [pq, pr, qr] = [p * q * xy, p * r * xz, q * r * yz];
      const residual = [1 - p * p - pq - pr, 1 - q * q - pq - qr, 1 - r * r - pr - qr];
      const y = solve([[1 + p * p], [pq, 1 + q * q], [pr, qr, 1 + r * r]], residual);
      const s = dot(y, residual);
      // Once Newton's method converges, a decrement that stays is rounding.
      if (!(s > 1e-31) || (s < 1e-12 && s > 0.1 * before)) break;
      before = s;
      const m = Math.max(0, -y[0], -y[1], -y[2]);
      const a = s - dot(y, y);
      const b = s * (1 + m);
      const t = 2 * s / (b + Math.sqrt(Math.max(0, b * b - 4 * a * m * s)));
      p *= 1 + t * y[0];
      q *= 1 + t * y[1];
      r *= 1 + t * y[2];
    }
    return [p, q, r];
  }

  // Q^T R Q has the entries (1, -1, 0) R (1, -1, 0)^T / 2 and so on.
  function rowSumCoords([[a, b, c], [, d, e], [, , f]]) {
    return [
      0.5 * (a - 2 * b + d),
      (a - d - 2 * c + 2 * e) / Math.sqrt(6),
      (a + d + 2 * b - 4 * (c + e) + 4 * f) / 6,
    ];
  }

  function logScaled(entries) {
    const x = scaling(entries);
    const scaled = toMatrix(entries).map((row, i) => row.map((v, j) => x[i] * v * x[j]));
    return rowSumCoords(mapSpectrum(scaled, Math.log));
  }

  function expScaled([a, b, c]) {
    const inner = [[a, b / Math.SQRT2], [b / Math.SQRT2, c]];
    const matrix = multiply(helmert, multiply(inner, transpose(helmert)));
    return correlation(mapSpectrum(matrix, Math.exp));
  }

  // --- Poly-hyperbolic: rows as points of hyperbolic spaces -----------------------
  const asinhQuotient = (r) => (r < 1e-8 ? 1 : Math.asinh(r) / r);
  const sinhQuotient = (r) => (r < 1e-8 ? 1 : Math.sinh(r) / r);
  const rows = ([a, b, c]) => [[a], [b, c]];
  const toTangent = (row) => row.map((v) => 0.5 * asinhQuotient(norm(row)) * v);
  const fromTangent = (row) => row.map((v) => 2 * sinhQuotient(2 * norm(row)) * v);

  const toRows = (entries) => rows(theta(entries)).flatMap(toTangent);
  const fromRows = (coords) => thetaInverse(rows(coords).flatMap(fromTangent));

  // The point at time t between two points of the hyperboloid.
  function hyperbolicBetween(a, b, t) {
    const [timeA, timeB] = [Math.hypot(1, ...a), Math.hypot(1, ...b)];
    const gap = norm(a.map((v, k) => v - b[k]));
    const chord = Math.sqrt(Math.max(0, (gap - (timeA - timeB)) * (gap + (timeA - timeB))));
    const distance = 2 * Math.asinh(0.5 * chord);
    const scale = sinhQuotient(distance);
    const before = (1 - t) * sinhQuotient((1 - t) * distance) / scale;
    const after = t * sinhQuotient(t * distance) / scale;
    return a.map((v, k) => before * v + after * b[k]);
  }

  // --- Hyperplanes ----------------------------------------------------------------
  // A hyperplane is { normal: [Z21, Z31, Z32], offset }; what is returned maps the
  // coordinates of a point to <Log_P X, A>_P / |A|_P.
  const flatMargin = (tangentAtIdentity) => ({ normal, offset }) => {
    const vector = tangentAtIdentity(normal);
    const length = norm(vector);
    const unit = vector.map((v) => v / length);
    return (coords) => dot(coords, unit) - offset;
  };

  // beta_3 / beta_1 and beta_3 / beta_2, with beta_k = B(k / 2, 1 / 2).
  const BETA = [0.5, Math.PI / 4, Math.PI / 4];

  const ballMargin = ({ normal, offset }) => {
    const length = norm(normal);
    const unit = normal.map((v) => v / length);
    const [cosh, sinh] = [Math.cosh(2 * offset), Math.sinh(2 * offset)];
    return (coords) => {
      const point = fromTangent(coords.map((v, k) => BETA[k] * v));
      const time = Math.hypot(1, ...point);
      const along = dot(point, unit);
      const gap = norm(point.map((v, k) => v - sinh * unit[k]));
      const rise = time - cosh;
      const chord = Math.sqrt(Math.max(0, (gap - rise) * (gap + rise)));
      return (cosh * along - sinh * time) / sinhQuotient(2 * Math.asinh(0.5 * chord));
    };
  };

  // What the margins are, in words: the point P of the hyperplane is at the offset gamma.
  const FLAT = "⟨Log X, Z⟩ / |Z| − γ, with Log and the product at the identity";
  const BALL = "⟨Log X, Z⟩ / |Z| in the Poincaré ball, with Log and the product at Exp(γ Z / |Z|)";

  // --- The five -------------------------------------------------------------------
  const straight = (metric) => (start, end, t) => {
    const [a, b] = [metric.toCoords(start), metric.toCoords(end)];
    return metric.fromCoords(a.map((v, k) => v + t * (b[k] - v)));
  };
  const flat = (name, toCoords, fromCoords, tangentAtIdentity) => {
    const metric = {
      name, toCoords, fromCoords, margin: flatMargin(tangentAtIdentity), formula: FLAT,
    };
    metric.geodesic = straight(metric);
    return metric;
  };
  const metrics = {
    ecm: flat("ECM", theta, thetaInverse, (z) => z),
    lecm: flat(
      "LECM",
      (entries) => logUnitLower(theta(entries)),
      (coords) => thetaInverse(expStrictlyLower(coords)),
      (z) => z,
    ),
    olm: flat("OLM", offLog, offExp, (z) => z.map((v) => Math.SQRT2 * v)),
    lsm: flat("LSM", logScaled, expScaled, ([x, y, z]) =>
      rowSumCoords([[-x - y, x, y], [x, -x - z, z], [y, z, -y - z]])),
    phcm: {
      name: "PHCM",
      toCoords: toRows,
      fromCoords: fromRows,
      margin: ballMargin,
      formula: BALL,
      geodesic(start, end, t) {
        const [a, b] = [rows(theta(start)), rows(theta(end))];
        return thetaInverse(a.flatMap((row, k) => hyperbolicBetween(row, b[k], t)));
      },
    },
  };

  return { metrics, toMatrix };
})();
