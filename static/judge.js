// Judging: one key a vote, the next question at once, and an outbox that loses nothing.
//
// Every vote is first put into the browser's storage, one entry each so that tabs do not disturb
// one another, and leaves it when the server has acknowledged it. Without JavaScript the same form
// is sent by its button.
"use strict";

const KEYS = { 1: "left", ArrowLeft: "left", 2: "right", ArrowRight: "right", 0: "tie" };
const IDLE = 30_000, SETTLE = 200, PATIENCE = 10_000; // milliseconds: idle from then on; before a question can be answered; for the server
const STALE = 240_000; // after so long the questions may be somebody else's: ask again
const BACKOFF = [1000, 2000, 4000, 8000, 15_000, 30_000];
const MOST = 500; // entries in a message
const KNOWN = 100; // answered questions by which an old page is known
const NO_SHORTCUTS = "tercet-no-shortcuts";
const find = (selector) => document.querySelector(selector);
const form = find("#answers"), judge = find("#judge"), shortcuts = find("#shortcuts");
const { box, sync, offline } = find("[data-box]")?.dataset ?? {};
const stand = `at-${box}`; // in the storage: how far one has come since the page was sent

// Keys and pointers

function isTyping({ target }) {
  return target.closest?.("textarea, select, [contenteditable], input:not([type=radio]):not([type=checkbox])") != null;
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || localStorage.getItem(NO_SHORTCUTS)) return;
  const option = form && [...form.querySelectorAll("input[type=radio]")][["left", "right", "tie"].indexOf(KEYS[event.key])];
  if (option) event.repeat || choose(option);
  else if (event.key.toLowerCase() === "u" && find("#undoing:not([hidden])")) event.repeat || find("#undoing").requestSubmit();
  else if (event.key === "?" && find("#help")) toggleHelp();
  else return;
  event.preventDefault();
}

function toggleHelp() {
  const help = find("#help");
  help.open = !help.open;
  if (help.open) help.scrollIntoView({ block: "nearest" });
}

function choose(option) {
  option.checked = true;
  form.requestSubmit();
}

// A pointer chooses and sends at once; the second click of a double click is none.
function click(event) {
  const label = event.target.closest("label.option");
  if (!label || event.target.matches("input") && event.detail === 0) return;
  event.preventDefault();
  if (event.detail < 2) choose(label.querySelector("input"));
}

function switchShortcuts() {
  if (shortcuts.checked) localStorage.removeItem(NO_SHORTCUTS);
  else localStorage.setItem(NO_SHORTCUTS, "yes");
}

// The outbox

const entries = () => Object.keys(localStorage).filter((name) => name.startsWith(box)).sort()
  .map((name) => ({ name, ...JSON.parse(localStorage.getItem(name)) }));
const votes = () => entries().filter((entry) => entry.do === "vote");

let serial = 0;
function keep(deed) {
  const order = `${String(Date.now()).padStart(15, "0")}-${String(serial++).padStart(5, "0")}`;
  localStorage.setItem(`${box}${order}-${deed.key}`, JSON.stringify({ ...deed, at: Date.now() }));
}

// One delivery at a time in all tabs together.
const alone = navigator.locks ? (work) => navigator.locks.request(box, work) : (work) => work();

// Send entries, forget them once the server has them, and give its answer.
async function deliver(sent, questions = []) {
  const deeds = sent.map(({ at, name, ...deed }) => ({ ...deed, waited: Math.max(0, Date.now() - at) / 1000 }));
  const request = { method: "POST", body: JSON.stringify({ deeds, holding: questions.map(({ key }) => key) }), signal: AbortSignal.timeout(PATIENCE) };
  const response = await fetch(sync, { headers: { "Content-Type": "application/json" }, ...request });
  if (!response.ok) throw new Error(response.statusText);
  const answer = await response.json();
  for (const { name } of sent) localStorage.removeItem(name);
  return answer;
}

// Forms besides the votes are sent once, and only where there is a server: nobody leaves a page for nothing.
const asked = new WeakSet(), sure = new WeakSet();
function submit(event) {
  const { target, submitter } = event;
  if (event.defaultPrevented) return;
  if (sure.has(target) || !offline) {
    for (const button of target.querySelectorAll("button")) setTimeout(() => { button.disabled = true; });
    return;
  }
  event.preventDefault();
  if (asked.has(target)) return;
  asked.add(target);
  reach(offline).then(() => { sure.add(target); target.requestSubmit(submitter); }, () => { asked.delete(target); find("#cut-off").hidden = false; });
}

async function reach(address) {
  const { ok } = await fetch(address, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
  if (!ok) throw new Error(address);
}

// Pages around the judging: send what still waits from an earlier visit. What such a page says holds
// only once it is there, so it is not shown before.
function startElsewhere() {
  if (box && entries().length) saveFirst(0);
}

function saveFirst(failures) {
  find(".flow").hidden = true;
  find("#saving").hidden = false;
  const again = () => setTimeout(saveFirst, BACKOFF[Math.min(failures, BACKOFF.length - 1)], failures + 1);
  alone(() => deliver(entries().slice(0, MOST))).then(() => location.reload(), again);
}

// A worker of the browser shows this page when it is loaded again without a connection. The first
// page comes too early for the worker to see it pass by, so it is kept here.
async function startWorker() {
  if (navigator.serviceWorker.controller) return;
  await navigator.serviceWorker.register(offline);
  await navigator.serviceWorker.ready;
  const parts = performance.getEntriesByType("resource").filter(({ initiatorType }) => ["css", "link", "script"].includes(initiatorType));
  await (await caches.open("tercet-judging")).addAll([location.pathname, ...new Set(parts.map(({ name }) => name))]);
}

// The judging page

function startJudging() {
  const words = JSON.parse(find("#words").textContent);
  let questions = JSON.parse(find("#questions").textContent), preloaded = [];
  let judged = Number(judge.dataset.judged), last = judge.dataset.last;
  const page = questions.map(({ key }) => key).join();
  let done = []; // the first questions that were answered here, by their keys
  let answered = []; // questions that an undo can bring back before the server has their votes
  const reached = new Set(); // entries that the server may have, though it did not acknowledge them
  let flushing = null, failures = 0, timer = null, said = "";
  let settling, active, seenAt, toldAt = performance.now(), wasHidden = document.hidden;

  function attend() {
    const now = performance.now();
    if (!wasHidden) active += Math.min(now - seenAt, IDLE);
    [seenAt, wasHidden] = [now, document.hidden];
    if (now - toldAt > STALE && !document.hidden) { toldAt = now; flush(); }
  }

  function show({ focus = false } = {}) {
    const [question] = questions;
    form.hidden = !question;
    if (question) fill(question, focus);
    else find("#key").value = "";
    report();
  }

  function fill(question, focus) {
    if (find("#key").value === question.key) return;
    find("#key").value = question.key;
    for (const name of ["a", "left", "right"].filter((each) => each in question)) find(`#${name}`).textContent = question[name];
    if ("src" in question) showImage(question);
    form.reset();
    settle();
    if (focus || form.contains(document.activeElement)) find("#reference, #image").focus();
  }

  function settle() {
    [active, seenAt] = [0, performance.now()];
    settling = form.animate({ opacity: [0.4, 1] }, SETTLE);
    steady();
  }

  // The image of the question before is never seen above the sentences of this one.
  function showImage({ src, alt }) {
    const image = find("#image");
    image.alt = alt || image.dataset.alt;
    if (image.getAttribute("src") !== src) image.src = src;
    image.classList.toggle("loading", !image.complete);
    image.onload = image.onerror = () => image.classList.remove("loading");
  }

  function preload() {
    preloaded = questions.filter(({ src }) => src).map(({ src }) => Object.assign(new Image(), { src }));
  }

  // Boxes stay as high as the longest sentence so far made them, so that nothing jumps.
  function steady() {
    for (const each of form.querySelectorAll(".reference, .option")) each.style.minHeight = `min(${each.offsetHeight}px, 40dvh)`;
  }

  function unsteady() {
    for (const each of form.querySelectorAll(".reference, .option")) each.style.minHeight = "";
  }

  function report() {
    const kept = entries();
    const count = kept.reduce((sum, entry) => sum + (entry.do === "vote" ? 1 : -1), judged);
    const total = count === 1 ? words.one : words.many.replace("%s", count);
    say("#count", `${total}, ${kept.length ? words.waiting.replace("%s", kept.length) : words.saved}`);
    const isCutOff = failures > 1 || failures && !navigator.onLine;
    say("#status", [said, isCutOff && words.offline, failures && !questions.length && words.empty].filter(Boolean).join(" "));
    find("#undoing").hidden = !lastKey();
    if (find("#share")) find("#share").value = count;
  }

  function remember() {
    try {
      localStorage.setItem(stand, JSON.stringify({ page, questions, judged, last, done }));
    } catch {} // the storage is full: the votes need it more
  }

  // The same page once more, or one that asks what was answered, is shown without a connection: go on from where one was.
  function recall() {
    const kept = JSON.parse(localStorage.getItem(stand));
    if (kept?.page === page || questions.some(({ key }) => kept?.done.includes(key))) ({ questions, judged, last, done } = kept);
  }

  function finish(keys) {
    done = [...done, ...keys].slice(0, KNOWN);
  }

  function say(place, text) {
    if (find(place).textContent !== text) find(place).textContent = text;
  }

  const lastKey = () => votes().at(-1)?.key ?? last;

  function vote() {
    const side = new FormData(form).get("side");
    const [question] = questions;
    const isSeen = settling.playState === "finished" && find("#image")?.complete !== false;
    if (!question || !side || !isSeen) return form.reset();
    attend();
    try {
      keep({ do: "vote", key: question.key, side, active: active / 1000 });
    } catch { // the storage is full
      return form.submit();
    }
    said = "";
    answered.push(questions.shift());
    show();
    remember();
    if (navigator.onLine || !failures) flush(); // cut off, one attempt at a time is enough
  }

  function undo() {
    if (flushing) return void flushing.then(undo); // then it is known whether the server has the vote
    const key = lastKey();
    const entry = votes().findLast((each) => each.key === key);
    const question = answered.find((each) => each.key === key);
    if (entry && question && !reached.has(entry.name)) {
      localStorage.removeItem(entry.name);
      answered = answered.filter((each) => each !== question);
      questions.unshift(question);
      said = words.undone;
      show({ focus: true });
      return remember();
    }
    if (key && !entries().some((each) => each.do === "undo" && each.key === key)) keep({ do: "undo", key });
    said = failures ? words.undoing : "";
    report();
    flush();
  }

  function flush() {
    clearTimeout(timer);
    flushing ??= alone(send).catch(() => false).then((isSent) => {
      flushing = null;
      failures = isSent ? 0 : failures + 1;
      report();
      if (!isSent) timer = setTimeout(flush, BACKOFF[Math.min(failures, BACKOFF.length) - 1] * (0.75 + Math.random() / 2));
      else if (entries().length) flush();
    });
  }

  async function send() {
    const sent = entries().slice(0, MOST), isOffline = !navigator.onLine;
    for (const { name } of sent) reached.add(name);
    try {
      const answer = await deliver(sent, questions);
      take(sent, answer);
      if (answer.go && !entries().length) await reach(answer.go).then(() => location.assign(answer.go));
      return true;
    } catch {
      if (isOffline) for (const { name } of sent) reached.delete(name);
      return false;
    }
  }

  function take(sent, answer) {
    const undone = sent.some((entry) => entry.do === "undo");
    const saved = sent.filter((entry, index) => entry.do === "vote" && answer.taken[index] === "saved");
    last = saved.at(-1)?.key ?? last;
    finish(saved.map(({ key }) => key));
    judged = answer.judged ?? judged + saved.length;
    if (undone) [last, said] = [answer.last ?? "", words.undone];
    toldAt = performance.now();
    find("#stranger").hidden = !answer.login;
    if (answer.order) takeQuestions(answer, undone);
    else questions = [];
    show({ focus: undone });
    remember();
  }

  // The question on the page stays, unless an undo brings back another.
  function takeQuestions(answer, undone) {
    const kept = new Set(votes().map(({ key }) => key));
    const known = new Map([...questions, ...answered, ...answer.questions].map((question) => [question.key, question]));
    const fresh = answer.order.filter((key) => known.has(key) && !kept.has(key)).map((key) => known.get(key));
    const still = !undone && fresh.find(({ key }) => key === questions[0]?.key);
    questions = still ? [still, ...fresh.filter((each) => each !== still)] : fresh;
    answered = answered.filter(({ key }) => kept.has(key));
    preload();
  }

  form.addEventListener("submit", (event) => { event.preventDefault(); vote(); });
  find("#undoing").addEventListener("submit", (event) => { event.preventDefault(); undo(); });
  for (const type of ["keydown", "pointermove", "pointerdown", "scroll", "touchstart"]) addEventListener(type, attend, { passive: true });
  document.addEventListener("visibilitychange", attend);
  addEventListener("online", flush);
  addEventListener("resize", unsteady);
  addEventListener("storage", ({ key, newValue }) => {
    if (key === stand && newValue) ({ judged, last, done } = JSON.parse(newValue));
    if (!key?.startsWith(box) || !newValue) return report();
    const { key: answeredElsewhere } = JSON.parse(newValue);
    finish([answeredElsewhere]);
    questions = questions.filter((question) => question.key !== answeredElsewhere);
    show();
    if (!questions.length) flush();
  });
  recall();
  const kept = new Set(votes().map(({ key }) => key));
  questions = questions.filter(({ key }) => !kept.has(key));
  preload();
  settle();
  if (entries().length || find("#key").value !== questions[0]?.key) {
    show();
    flush();
  }
}

document.addEventListener("keydown", press);
document.addEventListener("submit", submit);
form?.addEventListener("click", click);
if (shortcuts) {
  shortcuts.checked = !localStorage.getItem(NO_SHORTCUTS);
  shortcuts.addEventListener("change", switchShortcuts);
}
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
if (judge) startJudging();
else startElsewhere();
if (offline && navigator.serviceWorker) startWorker().catch(() => {}); // no room, or not allowed: a convenience
