// Fills the page from the data block: text into the document, numbers into charts of Chart.js.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const reports = data.reports;
  const single = reports.length === 1 ? reports[0] : null;
  // Okabe and Ito's palette: told apart with every kind of colour vision.
  const colours = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442", "#999999"];

  const digits = (value, count = 3) => {
    if (value === 0) return "0";
    const text = Number(value).toPrecision(count);
    return text.includes("e") ? Number(text).toString() : text;
  };
  const scaled = (value, unit, steps) => {
    for (const [prefix, factor] of steps) {
      if (Math.abs(value) >= factor) return digits(value / factor) + " " + prefix + unit;
    }
    return digits(value) + " " + unit;
  };
  const large = [["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]];
  const small = [["", 1], ["m", 1e-3], ["µ", 1e-6], ["n", 1e-9]];
  const seconds = (value) => scaled(value, "s", small);
  const bytes = (value) => scaled(value, "B", large);
  const percent = (share) => digits(100 * share, 2) + " %";

  const section = (id) => {
    const element = document.getElementById(id);
    element.hidden = false;
    return element;
  };
  const put = (id, text) => { document.getElementById(id).textContent = text; };
  const fill = (id, header, rows, numbers = []) => {
    const table = document.querySelector("#" + id + " table");
    const add = (cells, kind) => {
      const row = table.insertRow();
      cells.forEach((cell, i) => {
        const element = document.createElement(kind);
        element.textContent = cell;
        if (numbers.includes(i)) element.className = "number";
        row.append(element);
      });
    };
    if (header) add(header, "th");
    rows.forEach((cells) => add(cells, "td"));
  };

  // Text.
  put("headline", data.headline);
  if (single) {
    const t = single.iteration_time_s, s = single.throughput_samples_per_s;
    put("subline", digits(s.median) + " samples/s (" + digits(s.p05) + " to " + digits(s.p95) + "), " +
        seconds(t.median) + " per iteration (90 % interval " + seconds(t.p05) + " to " + seconds(t.p95) + ")");
    put("verdict", "Bottleneck: " + single.bottleneck.resource + ". " + single.bottleneck.text + ".");
  } else {
    put("subline", reports.length + " configurations");
  }
  const warnings = [...new Set(reports.flatMap((report) => report.warnings))];
  if (warnings.length > 0) {
    const list = section("warnings").querySelector("ul");
    const shown = warnings.slice(0, 6);
    if (warnings.length > shown.length) shown.push("and " + (warnings.length - shown.length) + " more (--json lists all)");
    shown.forEach((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      list.append(item);
    });
  }
  if (data.sensitivities && data.sensitivities.length > 0) {
    section("sensitivities");
    fill("sensitivities", ["If ...", "iteration"],
         data.sensitivities.map((row) => [row.what, percent(row.change)]), [1]);
  }
  const configuration = single ? single.config : data.common;
  fill("configuration", null, Object.entries(configuration).map(([key, value]) =>
    [key, typeof value === "object" ? JSON.stringify(value) : String(value)]));
  const origins = single ? single.origins : reports.flatMap((report) => report.origins);
  const seen = new Set();
  fill("origins", ["what", "share", "kind", "source"], origins.filter((line) => {
    const key = line.what + line.source;
    return !seen.has(key) && seen.add(key);
  }).map((line) => [line.what, percent(line.share), line.kind, line.source]), [1]);
  put("footer", "Paceline " + reports[0].version + ". Inputs: " +
      [...new Set(reports.flatMap((report) => report.inputs.map((input) => input.file + " sha256:" +
          input.sha256.slice(0, 16))))].join(", ") + ". Charts: Chart.js " + Chart.version + " (MIT).");

  // Charts: made anew when the colours of the page change.
  let charts = [];
  const canvas = (id) => document.querySelector("#" + id + " canvas");
  const chart = (id, config) => charts.push(new Chart(canvas(id), config));
  const colour = (i) => colours[i % colours.length];
  const axis = (text, more = {}) => ({ title: { display: text !== "", text }, ...more });
  // Of a logarithmic axis only 1, 2 and 5 fit beside one another.
  const ticks = (format) => ({ callback: (v) => [1, 2, 5].includes(Number(v.toExponential()[0])) ? format(v) : "" });
  const base = { animation: false, responsive: true, maintainAspectRatio: false };

  const bar = (id, parts, unit, format, limit) => {
    chart(id, {
      type: "bar",
      data: {
        labels: [""],
        datasets: parts.map(([name, value], i) => ({
          label: name, data: [value], backgroundColor: name === "free" ? "#99999955" : colour(i),
        })),
      },
      options: {
        ...base, indexAxis: "y",
        scales: { x: axis(unit, { stacked: true, max: limit }), y: { stacked: true, display: false } },
        plugins: {
          legend: { position: "bottom" },
          tooltip: { callbacks: { label: (item) => item.dataset.label + ": " + format(item.raw) } },
        },
      },
    });
  };
  const parts = (object, skip) => Object.entries(object)
    .filter(([key, value]) => !skip.includes(key) && typeof value === "number" && value > 0)
    .map(([key, value]) => [key.replaceAll("_", " "), value]);

  const steps = () => bar("steps", parts(single.breakdown_s, []), "seconds", seconds,
                          single.iteration_time_s.median);
  const memory = () => {
    const m = single.memory_bytes;
    const used = parts(m, ["peak", "capacity", "margin"]).map(([name, value]) => [name, value / 1e9]);
    if (m.fits) used.push(["free", m.margin / 1e9]);
    bar("memory", used, "GB of " + bytes(m.capacity), (value) => bytes(1e9 * value),
        Math.max(m.capacity, m.peak) / 1e9);
  };
  const memoryTimeline = () => {
    const { steps, kinds } = data.memory_timeline;
    const m = single.memory_bytes;
    const free = m.capacity - m.context - m.slack;
    const datasets = kinds.map(({ kind, bytes: values }, i) => ({
      label: kind.replaceAll("_", " "), data: values.map((value) => value / 1e9), stack: "used", fill: i === 0 ? "origin" : "-1",
      backgroundColor: colour(i), borderColor: colour(i), borderWidth: 1, pointRadius: 0, stepped: true,
    }));
    if (free > 0 && free < 3 * (m.peak - m.context - m.slack)) {
      datasets.push({ label: "fits", data: steps.map(() => free / 1e9), stack: "limit", fill: false,
                      borderColor: "#999999", borderDash: [6, 4], borderWidth: 2, pointRadius: 0 });
    }
    chart("memory-timeline", {
      type: "line", data: { labels: steps, datasets },
      options: {
        ...base, interaction: { mode: "index", intersect: false },
        scales: { x: axis("operations in issue order", { ticks: { display: false }, grid: { display: false } }),
                  y: axis("GB alive", { stacked: true, beginAtZero: true }) },
        plugins: {
          legend: { position: "bottom" },
          tooltip: { callbacks: { label: (item) => item.dataset.label + ": " + bytes(1e9 * item.raw) } },
        },
      },
    });
  };
  const scaling = () => {
    const byLine = new Map();
    data.points.forEach((point, i) => {
      if (!byLine.has(point.line)) byLine.set(point.line, []);
      byLine.get(point.line).push({ x: point.x, report: reports[i] });
    });
    const numeric = data.points.every((point) => typeof point.x === "number");
    const datasets = [];
    let i = 0;
    for (const [line, points] of byLine) {
      const line_of = (key) => points.map((p) => ({ x: p.x, y: p.report.throughput_samples_per_s[key] }));
      const style = { borderColor: colour(i), backgroundColor: colour(i) };
      datasets.push({ ...style, label: line || "throughput", data: line_of("median") });
      datasets.push({ ...style, label: "", data: line_of("p05"), borderWidth: 1, pointRadius: 0, borderDash: [4, 4] });
      datasets.push({ ...style, label: "", data: line_of("p95"), borderWidth: 1, pointRadius: 0, borderDash: [4, 4],
                      backgroundColor: colour(i) + "33", fill: "-1" });
      i += 1;
    }
    chart("scaling", {
      type: "line", data: { datasets },
      options: {
        ...base,
        scales: { x: axis(data.axis, { type: numeric ? "linear" : "category" }),
                  y: axis("samples/s, 90 % interval", { beginAtZero: true }) },
        plugins: { legend: { position: "bottom", labels: { filter: (item) => item.text !== "" } } },
      },
    });
  };
  const timeline = () => {
    const kinds = [...new Set(data.timeline.spans.map((span) => span.kind))];
    chart("timeline", {
      type: "bar",
      data: {
        labels: data.timeline.tracks,
        datasets: kinds.map((kind, i) => ({
          label: kind, grouped: false, backgroundColor: colour(i), barPercentage: 0.9,
          data: data.timeline.spans.filter((span) => span.kind === kind).map((span) => ({
            x: [1e3 * span.start_s, 1e3 * span.end_s], y: data.timeline.tracks[span.track], name: span.name,
          })),
        })),
      },
      options: {
        ...base, indexAxis: "y", scales: { x: axis("milliseconds", { min: 0 }) },
        plugins: {
          legend: { position: "bottom" },
          tooltip: { callbacks: { label: (item) => item.raw.name + ", " +
              seconds((item.raw.x[1] - item.raw.x[0]) / 1e3) } },
        },
      },
    });
  };
  const roofline = () => {
    const kernels = data.kernels.filter((kernel) => kernel.flops > 0 && kernel.bytes > 0);
    const point = (kernel) => ({
      x: kernel.flops / kernel.bytes, y: kernel.flops / kernel.time_s,
      name: kernel.kernel + " " + kernel.shape,
    });
    const points = kernels.map(point);
    const datasets = [{ label: "kernel", data: points, backgroundColor: colour(0) }];
    if (data.roofline) {
      const { peak_flops_per_s: peak, bytes_per_s: rate } = data.roofline;
      const knee = peak / rate;
      const low = Math.min(knee / 10, ...points.map((p) => p.x));
      const high = Math.max(knee * 10, ...points.map((p) => p.x));
      datasets.push({ type: "line", label: "limit of the device", borderColor: colour(3), pointRadius: 0,
                      data: [{ x: low, y: low * rate }, { x: knee, y: peak }, { x: high, y: peak }] });
    }
    chart("roofline", {
      type: "scatter", data: { datasets },
      options: {
        ...base,
        scales: { x: axis("FLOP per byte", { type: "logarithmic", ticks: ticks((v) => digits(v, 1)) }),
                  y: axis("FLOP/s", { type: "logarithmic", ticks: ticks((v) => scaled(v, "", large)) }) },
        plugins: {
          legend: { position: "bottom" },
          tooltip: { callbacks: { label: (item) => (item.raw.name || "limit") + ": " +
              scaled(item.raw.y, "FLOP/s", large) } },
        },
      },
    });
  };

  const draws = [];
  if (single) {
    section("steps");
    draws.push(steps);
    const total = single.iteration_time_s.median;
    fill("steps", ["part", "time", "share"], parts(single.breakdown_s, []).map(([name, value]) =>
      [name, seconds(value), percent(value / total)]), [1, 2]);
    section("memory");
    draws.push(memory);
    const verdict = single.memory_bytes.fits
        ? ["fits, to spare", bytes(single.memory_bytes.margin)]
        : ["does not fit, too much", bytes(-single.memory_bytes.margin)];
    const rows = parts(single.memory_bytes, ["capacity", "margin"]).map(([name, value]) => [name, bytes(value)]);
    rows.push(verdict);
    if (single.largest_batch !== undefined) rows.push(["largest batch", single.largest_batch || "none"]);
    fill("memory", ["use", "size"], rows, [1]);
    if (data.memory_timeline) {
      const element = section("memory-timeline");
      element.querySelector(".note").textContent = "Without context and slack. paceline memory --plot FILE draws the same; " +
          "predict --trace FILE holds it beside the kernels.";
      draws.push(memoryTimeline);
    }
  } else {
    section("scaling");
    draws.push(scaling);
    fill("scaling", data.table.header, data.table.rows);
  }
  if (data.timeline && data.timeline.spans.length > 0) {
    const element = section("timeline");
    element.querySelector(".note").textContent = data.timeline.note;
    element.querySelector(".chart").style.height = Math.min(40, 7 + 2.5 * data.timeline.tracks.length) + "rem";
    draws.push(timeline);
  }
  if (data.kernels && data.kernels.some((kernel) => kernel.flops > 0)) {
    section("roofline");
    draws.push(roofline);
    const total = single.iteration_time_s.median;
    fill("roofline", ["kernel", "shape", "calls", "share", "bound"], data.kernels.slice(0, 12).map((kernel) =>
      [kernel.kernel, kernel.shape, kernel.calls, percent(kernel.total_s / total), kernel.bound]), [2, 3]);
  }

  const draw = () => {
    charts.forEach((old) => old.destroy());
    charts = [];
    const style = getComputedStyle(document.documentElement);
    Chart.defaults.color = style.getPropertyValue("--ink").trim();
    Chart.defaults.borderColor = style.getPropertyValue("--line").trim();
    draws.forEach((make) => make());
  };
  draw();
  // Paper is white whatever the screen shows, and has its own width.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  matchMedia("print").addEventListener("change", draw);
  addEventListener("beforeprint", draw);
  addEventListener("afterprint", draw);
  document.documentElement.dataset.ready = "yes";
})();
