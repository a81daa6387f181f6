// The judging page: one key a vote, and the next question at once. The votes go through `outbox.js`.
"use strict";

const IDLE = 30_000, SETTLE = 200; // milliseconds: idle from then on; before a question can be answered
const STALE = 240_000; // after so long the questions may be somebody else's: ask again
const KNOWN = 100; // answered questions by which an old page is known
const stand = `at-${box}`; // in the storage: how far one has come since the page was sent

function startJudging(judge, form) {
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
