// Pages of an account: logging out removes the judging pages that the browser keeps, and the tab or
// entry of the page is in view where not all of them fit.

document.querySelector("#log-out").addEventListener("submit", () => {
  self.caches?.delete("tercet-judging");
});

for (const current of document.querySelectorAll(".tabs [aria-current], .index [aria-current]")) {
  const bar = current.closest(".tabs, .index");
  const middle = (bar.clientWidth - current.offsetWidth) / 2;
  bar.scrollLeft = current.offsetLeft - bar.offsetLeft - middle;
}
