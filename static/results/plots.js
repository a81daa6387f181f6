// Plots of findings are loaded when they are opened. Without this script, links lead to their pages.

import { fetchPage } from "../study/updates.js";

const CLOSED = "details:not([open])";

async function load(link) {
  link.removeAttribute("data-plot"); // once only
  const page = await fetchPage(link.href);
  const plot = page?.querySelector(".plot > [role]");
  if (plot) link.replaceWith(document.adoptNode(plot));
}

function loadOpened() {
  for (const link of document.querySelectorAll("a[data-plot]")) {
    if (!link.closest(CLOSED)) load(link);
  }
}

document.addEventListener("toggle", loadOpened, true); // of details, which does not bubble
document.addEventListener("results", loadOpened); // the page has replaced its results
loadOpened();
