// A line plot of Chart.js as an SVG file: what the canvas shows, with the labels of the lines below it. White paper, dark letters.
"use strict";
const ccpbenchSvg = (() => {
  const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const round = (value) => Math.round(value * 100) / 100;
  const FONT = 'font-family="DejaVu Sans, Helvetica, Arial, sans-serif"';

  function marker(kind, x, y, colour) {
    const r = 4, style = `fill="#fff" stroke="${colour}" stroke-width="1.3"`;
    const shape = (points) => `<polygon points="${points.map(([a, b]) => `${round(x + a)},${round(y + b)}`).join(" ")}" ${style}/>`;
    if (kind === "rect") return shape([[-r, -r], [r, -r], [r, r], [-r, r]]);
    if (kind === "rectRot") return shape([[0, -r - 1], [r + 1, 0], [0, r + 1], [-r - 1, 0]]);
    if (kind === "triangle") return shape([[0, -r - 1], [r + 1, r], [-r - 1, r]]);
    if (kind === "circle") return `<circle cx="${round(x)}" cy="${round(y)}" r="${r}" ${style}/>`;
    const arms = kind === "cross" ? [[r, 0], [0, r]] : kind === "crossRot" ? [[r, r], [r, -r]] : [[r, 0], [0, r], [r * 0.7, r * 0.7], [r * 0.7, -r * 0.7]];
    return arms.map(([a, b]) => `<line x1="${round(x - a)}" y1="${round(y - b)}" x2="${round(x + a)}" y2="${round(y + b)}" stroke="${colour}" stroke-width="1.3"/>`).join("");
  }

  // Positions of a line; a stepped one goes on at its height until the next point.
  function places(chart, set) {
    const { x, y } = chart.scales, found = [];
    set.data.forEach((point) => {
      const at = [x.getPixelForValue(point.x), y.getPixelForValue(point.y)];
      if (set.stepped && found.length) found.push(set.stepped === "before" ? [at[0], found[found.length - 1][1]] : [found[found.length - 1][0], at[1]]);
      found.push(at);
    });
    return found.filter((at) => at.every(Number.isFinite));
  }

  const path = (list) => list.map(([x, y], k) => `${k ? "L" : "M"}${round(x)} ${round(y)}`).join("");

  function lines(chart, colour) {
    const shown = chart.data.datasets.map((set, k) => ({ set, on: chart.isDatasetVisible(k) })).filter((one) => one.on).map((one) => one.set);
    let text = "";
    const bands = shown.filter((set) => set.edge);
    for (let k = 0; k + 1 < bands.length; k += 2)
      text += `<path d="${path([...places(chart, bands[k]), ...places(chart, bands[k + 1]).reverse()])}Z" fill="${colour(bands[k])}" fill-opacity="0.15"/>`;
    shown.filter((set) => !set.edge).forEach((set) => {
      const at = places(chart, set), ink = colour(set);
      text += `<path d="${path(at)}" fill="none" stroke="${ink}" stroke-width="1.6" stroke-dasharray="${set.borderDash.join(" ")}" stroke-linejoin="round"/>`;
      const every = set.pointRadius ? 1 : Math.max(1, Math.ceil(at.length / 7)), first = set.pointRadius ? 0 : set.number * 3 % every;
      text += at.filter((_, k) => k % every === first).map(([x, y]) => marker(set.pointStyle, x, y, ink)).join("");
    });
    return { text, sets: shown.filter((set) => !set.edge) };
  }

  // Raised digits as small digits that are raised: those of the font itself can hardly be told apart.
  const raised = (text) => text.replace(/[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (digits) =>
    `<tspan dy="-5" font-size="10">${digits.replace(/./g, (c) => "−0123456789"["⁻⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c)])}</tspan>`);

  function scale(axis, area) {
    const across = axis.isHorizontal();
    return axis.ticks.map((tick) => {
      const at = round(axis.getPixelForValue(tick.value)), label = raised(escape(Array.isArray(tick.label) ? tick.label.join(" ") : tick.label ?? ""));
      return across ? `<line x1="${at}" y1="${area.top}" x2="${at}" y2="${area.bottom}" stroke="#e4e4e4"/><text x="${at}" y="${area.bottom + 16}" text-anchor="middle">${label}</text>`
        : `<line x1="${area.left}" y1="${at}" x2="${area.right}" y2="${at}" stroke="#e4e4e4"/><text x="${area.left - 6}" y="${at + 4}" text-anchor="end">${label}</text>`;
    }).join("");
  }

  // chart: of Chart.js; colour: of a data set.
  return (chart, colour) => {
    const area = chart.chartArea, drawn = lines(chart, colour), { x, y } = chart.scales;
    const width = chart.width, columns = Math.max(1, Math.floor(width / 250)), rows = Math.ceil(drawn.sets.length / columns);
    const height = area.bottom + 44 + rows * 18 + 8;
    const middle = (area.left + area.right) / 2, half = (area.top + area.bottom) / 2;
    const key = drawn.sets.map((set, k) => {
      const left = 12 + (k % columns) * (width / columns), top = area.bottom + 56 + Math.floor(k / columns) * 18;
      return `<line x1="${left}" y1="${top - 4}" x2="${left + 34}" y2="${top - 4}" stroke="${colour(set)}" stroke-width="1.6" stroke-dasharray="${set.borderDash.join(" ")}"/>` +
        marker(set.pointStyle, left + 17, top - 4, colour(set)) +
        `<text x="${left + 42}" y="${top}">${escape(set.label + (set.note ? ` · ${set.note}` : ""))}</text>`;
    }).join("");
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${round(height)}" viewBox="0 0 ${width} ${round(height)}" ${FONT} font-size="12" fill="#222">` +
      `<rect width="100%" height="100%" fill="#fff"/>${scale(x, area)}${scale(y, area)}` +
      `<clipPath id="area"><rect x="${area.left}" y="${area.top - 1}" width="${area.right - area.left + 1}" height="${area.bottom - area.top + 2}"/></clipPath>` +
      `<path d="M${area.left} ${area.top}V${area.bottom}H${area.right}" fill="none" stroke="#555"/><g clip-path="url(#area)">${drawn.text}</g>` +
      `<text x="${round(middle)}" y="${area.bottom + 34}" text-anchor="middle" font-size="13">${escape(x.options.title.text)}</text>` +
      `<text transform="translate(13 ${round(half)}) rotate(-90)" text-anchor="middle" font-size="13">${escape(y.options.title.text)}</text>${key}</svg>`;
  };
})();
