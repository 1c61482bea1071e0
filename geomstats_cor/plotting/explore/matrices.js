"use strict";
// Symmetric 3 x 3 matrices, stored as rows.
const Matrices = (() => {
  const multiply = (a, b) =>
    a.map((row) => b[0].map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0)));

  const transpose = (a) => a[0].map((_, j) => a.map((row) => row[j]));

  const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);

  const norm = (a) => Math.hypot(...a);

  // Turn rows and columns p and q of a symmetric matrix, stored row by row, so that the
  // entry (p, q) vanishes; r is the third index. False if it was negligible already.
  function rotate(a, v, p, q, r) {
    const off = a[3 * p + q];
    const first = a[3 * p + p];
    const last = a[3 * q + q];
    if (off * off <= 1e-34 * Math.abs(first * last)) return false;
    const ratio = (last - first) / (2 * off);
    const tan = (ratio < 0 ? -1 : 1) / (Math.abs(ratio) + Math.sqrt(1 + ratio * ratio));
    const cos = 1 / Math.sqrt(1 + tan * tan);
    const sin = tan * cos;
    a[3 * p + p] = first - tan * off;
    a[3 * q + q] = last + tan * off;
    a[3 * p + q] = a[3 * q + p] = 0;
    const x = a[3 * p + r];
    const y = a[3 * q + r];
    a[3 * p + r] = a[3 * r + p] = cos * x - sin * y;
    a[3 * q + r] = a[3 * r + q] = sin * x + cos * y;
    for (let k = 0; k < 9; k += 3) {
      const before = v[k + p];
      v[k + p] = cos * before - sin * v[k + q];
      v[k + q] = sin * before + cos * v[k + q];
    }
    return true;
  }

  // Eigenvalues and eigenvectors (columns) by Jacobi rotations, which keep the digits of
  // the small eigenvalues of a positive definite matrix.
  function eigen(matrix) {
    const a = matrix.flat();
    const v = [1, 0, 0, 0, 1, 0, 0, 0, 1];
    for (let sweep = 0; sweep < 30; sweep++) {
      const first = rotate(a, v, 0, 1, 2);
      const second = rotate(a, v, 0, 2, 1);
      const third = rotate(a, v, 1, 2, 0);
      if (!first && !second && !third) break;
    }
    return {
      values: [a[0], a[4], a[8]],
      vectors: [[v[0], v[1], v[2]], [v[3], v[4], v[5]], [v[6], v[7], v[8]]],
    };
  }

  // V diag(f) V^T.
  function compose([x, y, z], [u, v, w]) {
    const entry = (a, b) => x * a[0] * b[0] + y * a[1] * b[1] + z * a[2] * b[2];
    const [xy, xz, yz] = [entry(u, v), entry(u, w), entry(v, w)];
    return [[entry(u, u), xy, xz], [xy, entry(v, v), yz], [xz, yz, entry(w, w)]];
  }

  function mapSpectrum(matrix, f) {
    const { values, vectors } = eigen(matrix);
    return compose(values.map(f), vectors);
  }

  // Solve a positive definite system by its Cholesky factor.
  function solve([[a], [b, c], [d, e, f]], [x, y, z]) {
    const p = Math.sqrt(a);
    const q = b / p;
    const r = d / p;
    const s = Math.sqrt(c - q * q);
    const t = (e - q * r) / s;
    const u = Math.sqrt(f - r * r - t * t);
    const first = x / p;
    const second = (y - q * first) / s;
    const last = (z - r * first - t * second) / (u * u);
    const middle = (second - t * last) / s;
    return [(first - q * middle - r * last) / p, middle, last];
  }

  return { multiply, transpose, dot, norm, eigen, compose, mapSpectrum, solve };
})();
