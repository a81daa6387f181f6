// The questions that the page holds, and how far the annotator has come.
//
// What has happened since the page was sent is kept in localStorage, because without a connection
// the service worker shows the page as the server once sent it: the queue then goes on from there.

import { waitingKeys } from "./outbox.js";
import { box } from "./page.js";

const STORED = `at-${box}`;
const MOST_ANSWERED = 100; // keys of answered questions, by which an old page is recognised

export class Queue {
  questions; // the first is on the page
  judged; // votes that the server has
  last; // the key of the latest vote that the server has; empty where there is none

  #pageKeys; // which page this is: the questions it was sent with
  #answered = []; // keys of questions answered since, the earliest first
  #undoable = []; // answered questions whose votes wait: an undo brings them back without the server

  constructor(questions, judged, last) {
    Object.assign(this, { questions, judged, last });
    this.#pageKeys = questions.map(({ key }) => key).join();
    this.#restore();

    const waiting = waitingKeys();
    this.questions = this.questions.filter(({ key }) => !waiting.has(key));
  }

  get current() {
    return this.questions[0];
  }

  // The vote on the current question is in the outbox.
  advance() {
    this.#undoable.push(this.questions.shift());
  }

  // Ask the question with this key again; false where the page no longer has it.
  bringBack(key) {
    const question = this.#undoable.find((each) => each.key === key);
    if (!question) return false;

    this.#undoable = this.#undoable.filter((each) => each !== question);
    this.questions.unshift(question);
    return true;
  }

  // Take in the server's reply to a batch of the outbox.
  update(batch, reply) {
    const isUndone = batch.some((entry) => entry.do === "undo");
    const isSaved = (entry, index) => entry.do === "vote" && reply.taken[index] === "saved";
    const saved = batch.filter(isSaved).map(({ key }) => key);

    this.#addAnswered(saved);
    this.judged = reply.judged ?? this.judged + saved.length;
    if (isUndone || "last" in reply) this.last = reply.last ?? "";
    else this.last = saved.at(-1) ?? this.last;

    const isReturned = reply.taken.some((each) => each.hints);
    if (reply.order) this.#replaceQuestions(reply, isUndone || isReturned || reply.tooFast);
    else this.questions = [];
  }

  // The current question stays, unless an undo, or an answer that was not taken, brings back another.
  #replaceQuestions({ order, questions }, bringsBack) {
    const waiting = waitingKeys();
    const known = [...this.questions, ...this.#undoable, ...questions];
    const byKey = new Map(known.map((question) => [question.key, question]));

    const open = order.filter((key) => byKey.has(key) && !waiting.has(key));
    const next = open.map((key) => byKey.get(key));
    const kept = !bringsBack && next.find(({ key }) => key === this.current?.key);

    this.questions = kept ? [kept, ...next.filter((each) => each !== kept)] : next;
    this.#undoable = this.#undoable.filter(({ key }) => waiting.has(key));
  }

  // Another tab has answered a question.
  removeAnswered(key) {
    this.#addAnswered([key]);
    this.questions = this.questions.filter((question) => question.key !== key);
  }

  #addAnswered(keys) {
    this.#answered = [...this.#answered, ...keys].slice(0, MOST_ANSWERED);
  }

  // Keep in the browser how far the annotator has come.
  store() {
    const { questions, judged, last } = this;
    const stored = { page: this.#pageKeys, questions, judged, last, done: this.#answered };
    try {
      localStorage.setItem(STORED, JSON.stringify(stored));
    } catch {} // the storage is full: the votes need the room more
  }

  // Go on from what is stored, if this page is the one it belongs to or an older one.
  #restore() {
    const stored = JSON.parse(localStorage.getItem(STORED));
    if (!stored) return;

    const isSamePage = stored.page === this.#pageKeys;
    const isOlderPage = this.questions.some(({ key }) => stored.done.includes(key));
    if (isSamePage || isOlderPage) {
      this.questions = stored.questions;
      this.#readProgress(stored);
    }
  }

  // Another tab has stored something: what it says of the annotator holds here too.
  readStored({ key, newValue }) {
    if (key === STORED && newValue) this.#readProgress(JSON.parse(newValue));
  }

  #readProgress({ judged, last, done }) {
    Object.assign(this, { judged, last });
    this.#answered = done;
  }
}
