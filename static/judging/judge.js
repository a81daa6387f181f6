// The judging page: one key gives a vote, and the next question appears at once.
//
//   state            what happens        next state
//   question shown   vote                question shown, or no question once none is left
//   no question      reply               question shown
//   either           vote was too fast   its question shown again, with a word about it
//   either           answer to change    its question shown again; the kind's script says why
//   either           reply with "go"     left for the next page, once the outbox is empty
//   either           reply with "login"  signed out: the page says how to come back
//
// A vote is put into the outbox, the sender delivers it, and the reply brings further questions.

import { ActivityClock } from "./activity.js";
import { reach } from "./connection.js";
import { entries, put, waitingVotes, withdraw } from "./outbox.js";
import { box, find } from "./page.js";
import { QuestionView } from "./question.js";
import { Queue } from "./queue.js";
import { Sender } from "./sender.js";

const STALE = 240_000; // milliseconds after which the questions may be somebody else's: ask again

export function startJudging(judge, form) {
  const words = JSON.parse(find("#words").textContent);
  const sent = JSON.parse(find("#questions").textContent);

  const queue = new Queue(sent, Number(judge.dataset.judged), judge.dataset.last);
  const sender = new Sender({ held: () => queue.questions, onReply: takeReply, onChange: report });
  const clock = new ActivityClock(refreshStale);
  const view = new QuestionView(form, clock);

  let message = ""; // what became of the latest undo
  let repliedAt = performance.now();

  // Votes and undos

  function vote() {
    const question = queue.current;
    const { answer } = view;
    if (!question || !answer) return form.reset();

    clock.note();
    try {
      put({ ...answer, do: "vote", key: question.key, active: clock.seconds });
    } catch { // the storage is full
      return form.submit();
    }

    message = "";
    find("#too-fast").hidden = true;
    queue.advance();
    show({ focus: true });
    queue.store();
    if (navigator.onLine || !sender.failures) sender.send(); // else the next retry sends it
  }

  function undo() {
    if (sender.delivery) return void sender.delivery.then(undo); // then it is known who has the vote

    const key = lastKey();
    if (isTakenBackHere(key)) return;

    const isWaiting = entries().some((entry) => entry.do === "undo" && entry.key === key);
    if (key && !isWaiting) put({ do: "undo", key });

    message = sender.failures ? words.undoing : "";
    report();
    sender.send();
  }

  // Undo a vote that the server cannot have yet, without asking it.
  function isTakenBackHere(key) {
    const entry = waitingVotes().findLast((each) => each.key === key);
    if (!entry || sender.mayBeAtServer(entry) || !queue.bringBack(key)) return false;

    withdraw(entry);
    message = words.undone;
    show({ focus: true });
    queue.store();
    return true;
  }

  function lastKey() {
    return waitingVotes().at(-1)?.key ?? queue.last;
  }

  // The server

  async function takeReply(batch, reply) {
    const undo = batch.findIndex((entry) => entry.do === "undo");
    const isUndone = reply.taken[undo] === "saved";
    repliedAt = performance.now();
    queue.update(batch, reply);
    view.preload(queue.questions);

    const { taken } = reply;
    form.dispatchEvent(new CustomEvent("reply", { detail: batch.map((entry, index) => ({ entry, taken: taken[index] })) }));
    const isReturned = taken.some((each) => each.hints);
    if (undo >= 0) message = isUndone ? words.undone : words.ended;
    if (reply.tooFast) find("#too-fast").hidden = false;
    find("#stranger").hidden = !reply.login;
    show({ focus: isUndone || reply.tooFast || isReturned });
    queue.store();

    if (reply.go && !entries().length) {
      await reach(reply.go);
      location.assign(reply.go);
    }
  }

  function refreshStale() {
    if (document.hidden || performance.now() - repliedAt <= STALE) return;

    repliedAt = performance.now();
    sender.send();
  }

  function followOtherTabs(event) {
    queue.readStored(event);
    if (!event.key?.startsWith(box) || !event.newValue) return report();

    queue.removeAnswered(JSON.parse(event.newValue).key);
    show();
    if (!queue.current) sender.send();
  }

  // What is shown

  function show(options) {
    view.show(queue.current, options);
    report();
  }

  function report() {
    const waiting = entries();
    const votes = waiting.filter((entry) => entry.do === "vote").length;
    const count = queue.judged + votes - (waiting.length - votes);

    const total = count === 1 ? words.one : words.many.replace("%s", count);
    const state = waiting.length ? words.waiting.replace("%s", waiting.length) : words.saved;
    say("#count .judged", `${total}, `);
    say("#count .state", state);
    find("#share").value = count;
    find("#share-count").textContent = count;

    const lines = [message];
    if (sender.isCutOff) lines.push(words.offline);
    if (sender.failures && !queue.current) lines.push(words.empty);
    say("#status", lines.filter(Boolean).join(" "));
    find("#undoing").hidden = !lastKey();
  }

  // A text that is announced is set only where it changes.
  function say(selector, text) {
    const place = find(selector);
    if (place.textContent !== text) place.textContent = text;
  }

  function onSubmit(target, act) {
    target.addEventListener("submit", (event) => {
      event.preventDefault();
      act();
    });
  }

  onSubmit(form, vote);
  onSubmit(find("#undoing"), undo);
  addEventListener("online", () => sender.send());
  addEventListener("storage", followOtherTabs);

  view.preload(queue.questions);
  view.appear();
  if (entries().length || !view.shows(queue.current)) {
    show();
    sender.send();
  }
}
