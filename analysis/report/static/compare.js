// The panel that compares two metrics: four menus, and the answer in words and numbers.
//
// The page holds the comparisons as JSON in #compare-data: {labels, rows}, one row for every two
// metrics, category and reference count, in percent. Without this script the page shows them as a table.

"use strict";

const NAME = /((?=[\w-]*[A-Z0-9])\b\w+(?:-\w+)+)/; // as in analysis/figures/formats.py

function comparePanel() {
  const source = document.getElementById("compare-data");
  const panel = document.getElementById("compare-panel");
  if (!source || !panel || panel.children.length) return;

  const { labels, rows } = JSON.parse(source.textContent);
  if (!rows.length) return;

  const first = rows[0];
  const menus = {
    metric_a: menu(labels.metric_a, distinct("metric_a", "metric_b"), first.metric_a),
    metric_b: menu(labels.metric_b, distinct("metric_a", "metric_b"), first.metric_b),
    reference_count: menu(labels.reference_count, distinct("reference_count"), first.reference_count),
    category: menu(labels.category, distinct("category"), first.category),
  };

  const answer = document.createElement("div");
  answer.className = "compare-answer";
  answer.setAttribute("aria-live", "polite");
  panel.append(answer);
  panel.hidden = false;
  show();

  // All values of some columns, each once, in the order of the rows.
  function distinct(...columns) {
    return [...new Set(rows.flatMap((row) => columns.map((column) => row[column])))];
  }

  function menu(text, values, chosen) {
    const label = document.createElement("label");
    label.append(text + " ");

    const select = document.createElement("select");
    for (const value of values) {
      select.add(new Option(value, value, false, value === chosen));
    }
    select.addEventListener("change", show);

    label.append(select);
    panel.append(label);
    return select;
  }

  function show() {
    const wanted = Object.fromEntries(
      Object.entries(menus).map(([name, select]) => [name, select.value]),
    );
    const row = rows.find((row) => fits(row, wanted));
    answer.replaceChildren(...(row ? described(row, wanted) : [paragraph(missing(wanted))]));
  }

  function fits(row, wanted) {
    const names = [wanted.metric_a, wanted.metric_b];
    return (
      row.metric_a !== row.metric_b &&
      names[0] !== names[1] &&
      names.includes(row.metric_a) &&
      names.includes(row.metric_b) &&
      String(row.reference_count) === wanted.reference_count &&
      row.category === wanted.category
    );
  }

  function missing(wanted) {
    return wanted.metric_a === wanted.metric_b ? labels.same : labels.missing;
  }

  // The verdict, and the accuracies and their difference in the order in which one chose them.
  function described(row, wanted) {
    const turned = row.metric_a !== wanted.metric_a;
    const sign = turned ? -1 : 1;
    const bounds = [row.low * sign, row.high * sign].sort((a, b) => a - b);

    const figures = document.createElement("dl");
    const accuracies = { [row.metric_a]: row.accuracy_a, [row.metric_b]: row.accuracy_b };
    for (const name of [wanted.metric_a, wanted.metric_b]) {
      entry(figures, name, `${accuracies[name].toFixed(1)}\u00a0%`);
    }
    entry(
      figures,
      labels.difference,
      `${points(row.difference * sign)} (${bounds.map(points).join(" … ")})`,
    );
    entry(figures, "p", row.p < 0.001 ? "< .001" : row.p.toFixed(3).replace(/^0/, ""));
    entry(figures, labels.pairs, row.pairs.toLocaleString(document.documentElement.lang));

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

  function points(difference) {
    const value = difference.toFixed(1);
    return difference > 0 ? `+${value}` : value.replace("-", "−");
  }
}

comparePanel();
document.addEventListener("results", comparePanel); // the page has replaced its results
