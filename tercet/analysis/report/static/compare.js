// The panel that compares two metrics: four menus, and the answer in words and numbers.
//
// The page holds the comparisons as JSON in #compare-data: {labels, rows, first}, all as texts, with two rows for
// every two metrics, category and reference count: one from either side. A report shows them as a table
// without this script. The site's page has the menus and the answer already, and is asked for others.

"use strict";

const NAME = /((?=[\w-]*[A-Z0-9])\b\w+(?:-\w+)+)/; // as in analysis/figures/formats.py

function comparePanel() {
  const source = document.getElementById("compare-data");
  const panel = document.getElementById("compare-panel");
  if (!source || !panel || panel.dataset.ready) return;
  panel.dataset.ready = "yes";

  const { labels, rows, first } = JSON.parse(source.textContent);
  if (!first) return;

  const menus = {
    metric_a: menu("metric_a", distinct("metric_a", "metric_b")),
    metric_b: menu("metric_b", distinct("metric_a", "metric_b")),
    reference_count: menu("reference_count", distinct("reference_count")),
    category: menu("category", distinct("category")),
  };
  const answer = panel.querySelector(".compare-answer") ?? newAnswer();
  for (const each of Object.values(menus)) each.addEventListener("change", show);
  if (panel.hidden) show();
  panel.hidden = false;

  // All values of some columns, each once, in the order of the rows.
  function distinct(...columns) {
    return [...new Set(rows.flatMap((row) => columns.map((column) => row[column])))];
  }

  function menu(name, values) {
    const there = panel.querySelector(`[name="${name}"]`);
    if (there) return there;

    const label = document.createElement("label");
    label.append(labels[name] + " ");

    const select = document.createElement("select");
    select.name = name;
    for (const value of values) {
      select.add(new Option(value, value, false, value === first[name]));
    }

    label.append(select);
    panel.append(label);
    return select;
  }

  function newAnswer() {
    const answer = document.createElement("div");
    answer.className = "compare-answer";
    answer.setAttribute("aria-live", "polite");
    panel.append(answer);
    return answer;
  }

  function show() {
    const wanted = Object.fromEntries(
      Object.entries(menus).map(([name, select]) => [name, select.value]),
    );
    const row = rows.find((row) => fits(row, wanted));
    answer.replaceChildren(...(row ? described(row) : [paragraph(missing(wanted))]));
  }

  function fits(row, wanted) {
    return Object.entries(wanted).every(([name, value]) => row[name] === value);
  }

  function missing(wanted) {
    return wanted.metric_a === wanted.metric_b ? labels.same : labels.missing;
  }

  function described(row) {
    const figures = document.createElement("dl");
    entry(figures, row.metric_a, row.accuracy_a);
    entry(figures, row.metric_b, row.accuracy_b);
    for (const name of ["difference", "p", "p_alone", "pairs"]) entry(figures, labels[name], row[name]);

    return [paragraph(row.verdict), figures];
  }

  function entry(list, name, value) {
    const term = document.createElement("dt");
    const description = document.createElement("dd");
    term.textContent = name;
    description.textContent = value;
    const group = document.createElement("div");
    group.append(term, description);
    list.append(group);
  }

  function paragraph(text) {
    const element = document.createElement("p");
    element.className = "verdict";
    element.append(...text.split(NAME).map(wholeName));
    return element;
  }

  // A name such as BLEU-4 stays on one line.
  function wholeName(text) {
    if (!NAME.test(text)) return text;

    const element = document.createElement("span");
    element.className = "word";
    element.textContent = text;
    return element;
  }
}

comparePanel();
document.addEventListener("results", comparePanel); // the page has replaced its results
