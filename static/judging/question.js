// Shows a question on the page.

import { find } from "./page.js";

const PATIENCE = 10_000; // milliseconds after which a picture that does not load may be skipped
const RETRY = 2_000; // milliseconds after which it is asked for again
const SETTLE = 200; // milliseconds in which a question that has just appeared cannot be answered

export class QuestionView {
  #form;
  #clock;
  #preloaded = [];
  #appearance = null;
  #isSeen = true; // the picture, where there is one
  #late = null;

  constructor(form, clock) {
    this.#form = form;
    this.#clock = clock;
    history.scrollRestoration = "manual"; // a page that is loaded again begins at its top
  }

  // Show a question, or nothing. What is shown already stays as it is. A new question begins with
  // its first sentence in view and, with `focus`, where a screen reader goes on reading.
  show(question, { focus = false } = {}) {
    this.#form.hidden = !question;
    if (!question) find("#key").value = "";
    else if (!this.shows(question)) this.#fill(question, focus);
  }

  shows(question) {
    return find("#key").value === question?.key;
  }

  // The answer as it stands, by the names of its fields, once there was time to see the question;
  // null before, and while there is none.
  get answer() {
    const isSettled = this.#appearance.playState === "finished";
    if (!isSettled || !this.#isSeen) return null;

    const { csrfmiddlewaretoken, key, ...answer } = Object.fromEntries(new FormData(this.#form));
    return Object.keys(answer).length ? answer : null;
  }

  preload(questions) {
    const images = questions.filter(({ src }) => src);
    const referrerPolicy = "no-referrer";
    this.#preloaded = images.map(({ src }) => Object.assign(new Image(), { referrerPolicy, src }));
  }

  #fill(question, focus) {
    for (const field of document.querySelectorAll("#key, #report [name=key], #missing [name=key]"))
      field.value = question.key;
    find("#report").open = false;
    find("#judge").classList.toggle("long", "long" in question);
    const { language } = find("#judge").dataset;
    const foreign = question.foreign?.split(" ") ?? [];
    for (const [name, text] of Object.entries(question)) {
      const part = this.#form.querySelector(`span#${name}`);
      if (part) Object.assign(part, { textContent: text, lang: foreign.includes(name) ? "" : language });
    }
    if ("src" in question) this.#showImage(question);

    this.#form.reset();
    this.appear();
    if (focus || this.#hasFocus()) this.#form.querySelector("[tabindex]").focus({ preventScroll: true });
    this.#bringIntoView();
  }

  // Whether the focus is on the question before, or nowhere.
  #hasFocus() {
    const { activeElement, body } = document;
    return activeElement === body || this.#form.contains(activeElement);
  }

  #bringIntoView() {
    const judge = find("#judge");
    const { top } = judge.getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) judge.scrollIntoView();
  }

  // Begin the time in which the question cannot be answered yet, and the count of its time.
  appear() {
    this.#clock.restart();
    this.#appearance = this.#form.animate({ opacity: [0.4, 1] }, SETTLE);
    const image = find("#image");
    if (image) this.#awaitImage(image, find("#no-picture"));
  }

  // A question cannot be answered before its picture is seen, which is asked for until it loads.
  async #awaitImage(image, note) {
    const { value: key } = find("#key");
    const isOpen = () => find("#key").value === key && !this.#isSeen;
    this.#isSeen = false;
    note.hidden = true;
    clearTimeout(this.#late);
    this.#late = setTimeout(() => { note.hidden = !isOpen(); }, PATIENCE);

    image.classList.add("loading");
    while (isOpen()) {
      const isLoaded = await image.decode().then(() => true, () => false);
      if (isLoaded && isOpen()) this.#isSeen = note.hidden = true;
      else await new Promise((resolve) => setTimeout(resolve, RETRY));
      if (isOpen()) image.src = image.getAttribute("src");
    }
    if (this.#isSeen) image.classList.remove("loading");
  }

  // The image of the question before is never seen above the sentences of this one.
  #showImage({ src, alt }) {
    const image = find("#image");
    image.alt = alt || image.dataset.alt;
    if (image.getAttribute("src") !== src) image.src = src;
  }
}
