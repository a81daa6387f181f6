// All pages of an annotator. Without JavaScript, or where a part of it does not arrive, the same
// forms are sent by their buttons.

import { delayAfter } from "./connection.js";
import { guardForms } from "./forms.js";
import { startJudging } from "./judge.js";
import { listen } from "./keys.js";
import { startLeaving } from "./leaving.js";
import { deliver, entries, exclusively, nextBatch } from "./outbox.js";
import { box, find } from "./page.js";
import { startWorker } from "./worker.js";

// A page around the judging: send what still waits from before, and only then show the page and
// leave the last one, because what it says holds only once the server has every vote.
function saveWaiting() {
  if (!box || !entries().length) return startLeaving();

  find(".flow").hidden = true;
  find("#saving").hidden = false;
  save(1);
}

async function save(attempt) {
  try {
    await exclusively(() => deliver(nextBatch()));
    location.reload();
  } catch {
    setTimeout(save, delayAfter(attempt), attempt + 1);
  }
}

// A page that the browser shows again from its history may be out of date.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

const judge = find("#judge");

listen();
guardForms();
startWorker();
if (judge) startJudging(judge, find("#answers"));
else saveWaiting();
