// The first figure of the results answers a pointer, a finger and the keyboard.
//
// The server draws all parts (analysis/figures/curves.py, group_figure) and writes the table of one
// reference count. This script shows and hides parts by their classes, and writes the values of the
// chosen count into the table; #figure-data has them as texts. The two compared metrics are bold.
// Without it, the counts are links.

const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 5, PageDown: -5 };
const byId = (id) => document.getElementById(id);

function start() {
  const figure = byId("figure");
  if (!figure || figure.dataset.ready) return;
  figure.dataset.ready = "yes";

  const { counts, metrics } = JSON.parse(byId("figure-data").textContent);
  const names = counts.map(({ count }) => count);
  const panel = byId("compare-panel");
  const links = [...document.querySelectorAll("[data-count]")];
  const rows = new Map(
    [...document.querySelectorAll("[data-metric]")].map((row) => [row.dataset.metric, row]),
  );
  const hidden = new Set(); // metrics
  const current = links.find((link) => link.ariaCurrent)?.dataset.count;
  let chosen = Math.max(names.indexOf(current ?? names.at(-1)), 0);
  let shown = chosen; // under the pointer, or the chosen one
  let focused = null; // the metric whose row is pointed at

  makeSlider();
  listen();
  show();

  function makeSlider() {
    figure.role = "slider";
    figure.tabIndex = 0;
    figure.ariaLabel = figure.dataset.slider;
    figure.ariaValueMin = 0;
    figure.ariaValueMax = names.length - 1;
  }

  function listen() {
    figure.addEventListener("pointermove", (event) => preview(nearest(event.clientX)));
    figure.addEventListener("pointerleave", () => preview(chosen));
    figure.addEventListener("click", (event) => choose(nearest(event.clientX)));
    figure.addEventListener("keydown", step);
    panel?.addEventListener("change", compare);
    for (const link of links) link.addEventListener("click", follow);
    for (const link of document.querySelectorAll("[data-group]")) link.addEventListener("click", keepRest);
    for (const [name, row] of rows) listenToRow(name, row);
  }

  function listenToRow(name, row) {
    const box = row.querySelector("input");
    if (box) listenToBox(name, box);
    for (const [type, metric] of [["pointerenter", name], ["pointerleave", null], ["focusin", name], ["focusout", null]]) {
      row.addEventListener(type, () => show((focused = metric)));
    }
  }

  // Another choice of metrics has other sentences and files, which the server writes.
  function listenToBox(name, box) {
    box.checked = box.defaultChecked;
    if (!box.checked) hidden.add(name);
    box.addEventListener("change", () => {
      hidden[box.checked ? "delete" : "add"](name);
      const chosen = [...rows.keys()].filter((each) => !hidden.has(each));
      remember({ row: chosen.length ? chosen : [""] });
      show();
      document.dispatchEvent(new Event("choice"));
    });
  }

  function step(event) {
    const { key } = event;
    const ends = { Home: 0, End: names.length - 1 };
    if (!(key in STEPS) && !(key in ends)) return;

    event.preventDefault();
    choose(ends[key] ?? Math.min(Math.max(chosen + STEPS[key], 0), names.length - 1));
  }

  function follow(event) {
    event.preventDefault();
    choose(names.indexOf(event.currentTarget.dataset.count));
  }

  // The count whose rule is nearest to a place on the screen.
  function nearest(x) {
    const drawing = [...figure.querySelectorAll("svg")].find((each) => each.getBoundingClientRect().width);
    const places = [...drawing.querySelectorAll(".rule path")].map((rule) => rule.getBoundingClientRect().left);
    const distances = places.map((place) => Math.abs(place - x));
    return distances.indexOf(Math.min(...distances));
  }

  function preview(position) {
    if (position === shown) return;
    shown = position;
    show();
  }

  // Metrics are compared at a few counts only; at others, the last comparison stays.
  function choose(position) {
    chosen = shown = position;
    const menu = panel?.elements.reference_count;
    const isCompared = [...menu?.options ?? []].some(({ value }) => value === names[chosen]);
    if (isCompared && menu.value !== names[chosen]) {
      menu.value = names[chosen];
      menu.dispatchEvent(new Event("change", { bubbles: true }));
    }
    remember({ count: [names[chosen]] });
    show();
  }

  function compare() {
    const { metric_a, metric_b, reference_count } = panel.elements;
    remember({ metric_a: [metric_a.value], metric_b: [metric_b.value], reference_count: [reference_count.value] });
    show();
  }

  // What is chosen stands in the address, and in the forms that make a table or share the view.
  function remember(parameters) {
    const address = new URL(location);
    for (const [name, values] of Object.entries(parameters)) {
      address.searchParams.delete(name);
      for (const value of values) address.searchParams.append(name, value);
    }
    history.replaceState(history.state, "", address);
    for (const form of document.querySelectorAll("form.follows")) tell(form, parameters);
  }

  function tell(form, { row, ...single }) {
    for (const [name, [value]] of Object.entries(single)) {
      if (form.elements[name]) form.elements[name].value = value;
    }
    if (!row) return;
    for (const input of form.querySelectorAll("[name='row']")) input.disabled = hidden.has(input.value);
  }

  function keepRest({ currentTarget }) {
    const address = new URL(location);
    address.searchParams.set("category", new URL(currentTarget.href).searchParams.get("category"));
    address.hash = "";
    currentTarget.href = address;
  }

  function show() {
    const compared = [panel?.elements.metric_a.value, panel?.elements.metric_b.value];
    for (const metric of metrics) showParts(metric, compared);
    for (const drawing of figure.querySelectorAll("svg")) only(drawing.querySelectorAll(".rule path"), shown);
    for (const link of links) link.ariaCurrent = link.dataset.count === names[shown] ? "true" : null;
    writeTable();
    describe();
  }

  function showParts({ name, series, values, band }, compared) {
    const isShown = !hidden.has(name);
    const hasBand = focused ? focused === name : band;
    const dot = values.slice(0, shown).filter(Boolean).length; // counts without a value have no dot
    for (const part of figure.querySelectorAll(`.${CSS.escape(series)}`)) {
      const { classList } = part;
      if (classList.contains("band")) classList.toggle("on", isShown && hasBand);
      else if (classList.contains("dots")) only(part.querySelectorAll("use"), isShown && values[shown] ? dot : -1);
      classList.toggle("off", !isShown);
      classList.toggle("dim", focused !== null && focused !== name);
      classList.toggle("compared", compared.includes(name));
    }
    rows.get(name).classList.toggle("compared", compared.includes(name));
  }

  function only(elements, position) {
    elements.forEach((element, number) => element.classList.toggle("on", number === position));
  }

  function writeTable() {
    byId("chosen-count").textContent = counts[shown].words;
    for (const { metric, value } of ranked()) {
      const row = rows.get(metric.name);
      row.querySelector("[data-value]").textContent = value?.accuracy ?? "–";
      row.querySelector("[data-interval]").textContent = value?.interval ?? "";
      row.classList.toggle("dim", hidden.has(metric.name));
    }
    sort();
  }

  function ranked() {
    const now = metrics.map((metric) => ({ metric, value: metric.values[shown] }));
    return now.sort((a, b) => (b.value?.rank ?? -1) - (a.value?.rank ?? -1));
  }

  // Rows move only when a count is chosen: under a pointer that moves they would jump.
  function sort() {
    if (shown !== chosen || focused) return;
    const ordered = ranked().map(({ metric }) => rows.get(metric.name));
    const body = ordered[0].parentNode;
    const isSorted = ordered.every((row, position) => body.children[position] === row);
    if (!isSorted) body.append(...ordered);
  }

  function describe() {
    const values = ranked().filter(({ metric, value }) => value && !hidden.has(metric.name));
    const texts = values.map(({ metric, value }) => `${metric.name} ${value.accuracy}`);
    figure.ariaValueNow = shown;
    figure.ariaValueText = `${counts[shown].words}: ${texts.join(", ")}`;
  }
}

start();
document.addEventListener("results", start); // the page has replaced its results
