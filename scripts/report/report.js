// Draws the curves of the page with Chart.js. All data stands in the element #data; all text goes in as text, never as markup.
"use strict";
(() => {
  const root = document.documentElement;
  const studies = JSON.parse(document.getElementById("data").textContent);
  // The styles of scripts/series_styles.py: the lengths of the three lists have no common factor, so that a line is known by more
  // than its colour.
  const colours = { light: ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9", "#7A5C00", "#882255",
    "#8C8C00", "#332288", "#8A8A8A"],
  dark: ["#4FA3DB", "#FF8A3D", "#2FC99A", "#E79AC6", "#FFFFFF", "#F0B030", "#9AD0F5", "#C9A54A", "#D96A9E", "#C8C84A", "#9C8CF0",
    "#A8A8A8"] };
  const dashes = [[], [7, 3], [2, 2], [9, 3, 2, 3], [4, 2, 2, 2, 2, 2]];
  const points = ["circle", "rect", "rectRot", "triangle", "cross", "star", "crossRot"];
  const redraws = [];
  let printing = false;

  const dark = () => !printing && (root.dataset.theme ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches);
  // Viridis, for lines in order of a number; on dark paper without its dark end, on light paper without its light one.
  const viridis = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
  const ramp = (share, night) => {
    const place = Math.min(3.999, (night ? 0.25 + 0.75 * share : 0.88 * share) * 4), low = Math.floor(place);
    const mixed = viridis[low].map((a, k) => Math.round(a + (viridis[low + 1][k] - a) * (place - low)));
    return "#" + mixed.map((c) => c.toString(16).padStart(2, "0")).join("");
  };
  // Of a line or data set: {number, share}.
  const colourAt = (line, night) => {
    const list = colours[night ? "dark" : "light"];
    return line.share === undefined ? list[line.number % list.length] : ramp(line.share, night);
  };
  const colour = (line) => colourAt(line, dark());
  const raised = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  const power = (value, plain = false) => {
    const exponent = Math.round(Math.log10(value));
    if (Math.abs(Math.log10(value) - exponent) > 1e-6) return null;
    if (plain) return String(Number(value.toPrecision(3)));
    return "10" + String(exponent).replace(/./g, (c) => raised[c]);
  };

  function axis(title, log, tight) {
    const ink = dark() ? "#a3adb9" : "#59626e";
    const made = { type: log ? "logarithmic" : "linear", title: { display: true, text: title, color: ink, font: { size: 13 } },
      grid: { color: dark() ? "#343b44" : "#e6e8eb", tickLength: 4 },
      ticks: { color: ink, maxRotation: 0, autoSkipPadding: 14, font: { size: 12 } } };
    if (log) {
      // One way of writing for all ticks of an axis; powers are larger, since their raised digits are small.
      const plain = (ticks) => ticks.every((tick) => tick.value > 0.0099 && tick.value < 10001);
      made.ticks.callback = (value, _, ticks) => power(value, plain(ticks));
      made.ticks.font = { size: 14 };
      made.afterBuildTicks = (scale) => {
        const few = scale.ticks.filter((tick) => power(tick.value) !== null);
        const step = Math.max(1, Math.ceil(few.length / (tight ? 6 : 9)));
        if (few.length > 1) scale.ticks = few.filter((_, k) => k % step === 0);
      };
    }
    return made;
  }

  function sample(set) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [name, value] of [["width", 30], ["height", 10], ["aria-hidden", "true"]]) svg.setAttribute(name, value);
    const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    const values = { x1: 0, y1: 5, x2: 30, y2: 5, stroke: colour(set), "stroke-width": 2.5, "stroke-dasharray": dashes[set.number % dashes.length].join(" ") };
    for (const name in values) line.setAttribute(name, values[name]);
    svg.append(line);
    return svg;
  }

  function legend(list, chart) {
    const sets = chart.data.datasets;
    list.replaceChildren(...sets.filter((set) => !set.edge).map((set, k) => {
      const item = document.createElement("li"), button = document.createElement("button");
      button.type = "button";
      const show = () => button.setAttribute("aria-pressed", String(chart.isDatasetVisible(k)));
      button.append(sample(set), document.createTextNode(set.label + (set.note ? ` · ${set.note}` : "")));
      button.addEventListener("click", () => {
        const visible = !chart.isDatasetVisible(k);
        sets.forEach((other, j) => { if (j === k || other.edge && other.number === set.number) chart.setDatasetVisibility(j, visible); });
        chart.update();
        show();
      });
      show();
      item.append(button);
      return item;
    }));
  }

  // The 95 % band of a line: its lower edge, and the upper one filled down to it. They follow all lines, so they lie below them.
  function edges(line, stepped) {
    const side = (k, more) => ({ label: `${line.label}, 95 % band`, number: line.number, share: line.share, edge: true, stepped, borderWidth: 0, pointRadius: 0,
      pointHitRadius: 0, data: line.band.map((p) => ({ x: p[0], y: p[k] })), backgroundColor: colour(line) + "33", ...more });
    return [side(2, {}), side(3, { fill: "-1" })];
  }

  // lines: {label, note, number, points: [{x, y}], marks, band}; what: titles and which axes are logarithmic.
  function draw(box, old, lines, what) {
    if (old) old.destroy();
    const datasets = lines.map((line) => ({ label: line.label, note: line.note, number: line.number, share: line.share, stepped: what.stepped || false,
      data: line.points.filter((p) => (p.x > 0 || !what.logX) && (p.y > 0 || !what.logY)), borderColor: colour(line),
      backgroundColor: colour(line), borderWidth: 2, borderDash: dashes[line.number % dashes.length],
      pointStyle: points[line.number % points.length], pointRadius: line.marks ? 4 : 0, pointHitRadius: 8, hoverRadius: 5, tension: 0 }));
    lines.filter((line) => line.band).forEach((line) => datasets.push(...edges(line, what.stepped || false)));
    const y = Object.assign(axis(what.y, what.logY, false), what.range || {});
    const canvas = box.querySelector("canvas");
    const chart = new Chart(canvas, { type: "line", data: { datasets }, options: { animation: false, responsive: true,
      maintainAspectRatio: false, parsing: false, interaction: { mode: "nearest", intersect: false },
      scales: { x: Object.assign(axis(what.x, what.logX, true), what.logX ? {} : { type: "linear" }), y },
      plugins: { legend: { display: false }, tooltip: { callbacks: {
        title: (items) => items.length ? `${what.x}: ${Number(items[0].parsed.x.toPrecision(4))}` : "",
        label: (item) => `${item.dataset.label}: ${item.parsed.y.toPrecision(3)}` } } } } });
    canvas.setAttribute("aria-label", `Line plot of ${what.y} against ${what.x}: ${lines.map((l) => l.label).join(", ")}. ` +
      "The tables of this page hold the numbers.");
    legend(box.querySelector(".legend"), chart);
    box.svg = () => ccpbenchSvg(chart, (set) => colourAt(set, false));
    box.fileName = `${what.y} against ${what.x}`.replace(/[^A-Za-z0-9]+/g, "_");
    return chart;
  }

  // A figure as a file: through a link with its text, since the page asks nothing of a network.
  document.querySelectorAll("button.save").forEach((button) => button.addEventListener("click", () => {
    const box = button.closest("[data-plot]"), link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([box.svg()], { type: "image/svg+xml" }));
    link.download = `${box.fileName}.svg`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }));

  function fill(select, pairs, chosen) {
    select.replaceChildren(...pairs.map(([value, text]) => {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = text;
      option.selected = value === chosen;
      return option;
    }));
  }

  function convergence(box, study) {
    const [problem, x, y] = ["problem", "x", "y"].map((name) => box.querySelector(`[name=${name}]`));
    const groups = study.groups, names = study.names;
    // A curve that is solved at its start shows nothing.
    const lines = groups.map((g) => g.curves.filter((c) => (c.columns[study.first_y] || []).filter((v) => v > 0).length > 1).length);
    const most = lines.reduce((best, count, k) => count > lines[best] ? k : best, 0);
    fill(problem, groups.map((g, k) => [String(k), g.name]), String(most));
    fill(x, study.x.map((c) => [c, names[c] || c]), study.first_x);
    fill(y, study.y.map((c) => [c, names[c] || c]), study.first_y);
    let chart = null;
    const show = () => {
      const lines = groups[Number(problem.value)].curves.filter((c) => c.columns[x.value] && c.columns[y.value]).map((curve) => ({
        label: curve.label, note: curve.note, number: curve.number, share: curve.share,
        points: curve.columns[x.value].map((value, k) => ({ x: value, y: curve.columns[y.value][k] })).filter((p) => p.x !== null && p.y !== null) }));
      // What has values below zero, as the objective, has no logarithm.
      const logY = !lines.some((l) => l.points.some((p) => p.y < 0));
      const logX = lines.some((l) => l.points.some((p) => p.x > 0)) && x.value !== "iteration" ||
        Math.max(0, ...lines.map((l) => l.points.length ? l.points[l.points.length - 1].x : 0)) > 100;
      // A method that diverges must not squeeze the others into a line.
      const values = lines.flatMap((l) => l.points.map((p) => p.y)), starts = lines.filter((l) => l.points.length).map((l) => l.points[0].y);
      const range = {}, top = 1e4 * Math.max(...starts), bottom = 1e-18;
      if (logY && top > 0 && values.some((v) => v > top)) range.max = top;
      if (logY && values.some((v) => v > 0 && v < bottom)) range.min = bottom;
      chart = draw(box, chart, lines, { x: names[x.value] || x.value, y: names[y.value] || y.value, logX, logY, range });
    };
    [problem, x, y].forEach((select) => select.addEventListener("change", show));
    redraws.push(show);
    return show;
  }

  function sweep(box, figure) {
    const metric = box.querySelector("[name=metric]");
    fill(metric, figure.metrics.map((m) => [m.column, m.name]), figure.metrics[0].column);
    let chart = null;
    const show = () => {
      const chosen = figure.metrics.find((m) => m.column === metric.value);
      const lines = chosen.lines.map((line, k) => ({ label: line.label, number: k, share: line.share, marks: true, points: line.points.map(([x, y]) => ({ x, y })) }));
      chart = draw(box, chart, lines, { x: figure.x, y: chosen.name, logX: figure.log_x, logY: chosen.log });
    };
    metric.addEventListener("change", show);
    redraws.push(show);
    return show;
  }

  function profile(box, study) {
    const [model, kind, cost, at, band] = ["model", "profile", "cost", "at", "band"].map((name) => box.querySelector(`[name=${name}]`));
    const all = study.profiles, same = (values) => [...new Set(values)].map((value) => [String(value), String(value)]);
    const pick = (select, pairs) => fill(select, pairs, pairs.some(([value]) => value === select.value) ? select.value : pairs[0][0]);
    pick(kind, same(all.map((p) => p.kind)));
    pick(model, same(all.map((p) => p.model)).map(([value]) => [value, study.models[value]]));
    const ofModel = () => all.filter((p) => p.model === model.value);
    const costs = () => pick(cost, same(ofModel().map((p) => p.cost)));
    const inside = () => ofModel().filter((p) => p.kind === kind.value && p.cost === cost.value);
    const chosen = () => inside().find((p) => String(p.at) === at.value);
    // One band can be read among many lines, many cannot.
    const bands = () => {
      const banded = chosen().lines.filter((line) => line.points[0].length > 2).map((line) => [line.label, line.label]);
      const old = band.value, some = banded.length ? [["all", "of every line"]] : [];
      const first = !banded.length || banded.length > 4 ? "none" : "all";
      const best = chosen().lines.reduce((b, line) => line.points[line.points.length - 1][1] > b.points[b.points.length - 1][1] ? line : b);
      fill(band, [["none", banded.length ? "none" : "needs five problems"], ...some, ...banded],
        banded.some(([value]) => value === old) || old === "all" ? old : first === "none" && banded.length ? best.label : first);
      band.disabled = !banded.length;
    };
    const accuracies = () => { pick(at, inside().map((p) => [String(p.at), power(p.at)])); bands(); };
    let chart = null;
    const show = () => {
      const what = chosen();
      const lines = what.lines.map((line) => ({ label: line.label, number: line.number, points: line.points.map(([x, y]) => ({ x, y })),
        band: line.points[0].length > 2 && (band.value === "all" || band.value === line.label) ? line.points : null }));
      chart = draw(box, chart, lines, { x: what.x, y: what.y, logX: true, logY: false, stepped: "before", range: { min: 0, max: 1 } });
    };
    [model, kind, cost].forEach((select) => select.addEventListener("change", () => { costs(); accuracies(); show(); }));
    at.addEventListener("change", () => { bands(); show(); });
    band.addEventListener("change", show);
    costs();
    accuracies();
    redraws.push(show);
    return show;
  }

  // Of many plots each is drawn when it comes near the window, so that a page of many studies opens at once.
  const later = new Map();
  const watcher = new IntersectionObserver((entries) => entries.forEach((entry) => {
    if (!entry.isIntersecting) return;
    watcher.unobserve(entry.target);
    later.get(entry.target)();
    later.delete(entry.target);
  }), { rootMargin: "400px" });
  const boxes = [...document.querySelectorAll("[data-plot]")];
  boxes.forEach((box) => {
    const study = studies[Number(box.dataset.study)];
    const makers = { convergence: () => convergence(box, study), profile: () => profile(box, study),
      sweep: () => sweep(box, study.sweeps[Number(box.dataset.number)]) };
    const show = makers[box.dataset.plot]();
    if (boxes.length <= 6) return show();
    later.set(box, show);
    watcher.observe(box);
  });
  const repaint = () => redraws.forEach((show) => show());

  root.addEventListener("theme", repaint);
  const closed = [...document.querySelectorAll("details.failures:not([open])")];
  addEventListener("beforeprint", () => { printing = true; closed.forEach((d) => { d.open = true; }); repaint(); });
  addEventListener("afterprint", () => { printing = false; closed.forEach((d) => { d.open = false; }); repaint(); });
})();
