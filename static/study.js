// The results page: copy the join link, and follow the computation until it is done.
"use strict";

const POLL = 700;

document.querySelector("#copy")?.addEventListener("click", async (event) => {
  await navigator.clipboard.writeText(document.querySelector("#join").value);
  event.target.textContent = "Copied";
});

async function follow(place) {
  const answer = await fetch(place.dataset.url).catch(() => null);
  if (answer?.ok) {
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = fresh.querySelector("#evaluation");
    if (!next.hasAttribute("data-unfinished")) return location.reload();
    place.innerHTML = next.innerHTML;
  }
  setTimeout(follow, POLL, place);
}

const place = document.querySelector("#evaluation[data-unfinished]");
if (place) setTimeout(follow, POLL, place);
