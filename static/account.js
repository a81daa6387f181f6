// Pages of an account: logging out removes the judging pages that the browser keeps, and the tab of
// the page is in view where not all tabs fit.

document.querySelector("#log-out").addEventListener("submit", () => {
  self.caches?.delete("tercet-judging");
});

const tab = document.querySelector(".tabs [aria-current]");
if (tab) {
  const bar = tab.parentElement;
  bar.scrollLeft = tab.offsetLeft - bar.offsetLeft - (bar.clientWidth - tab.offsetWidth) / 2;
}
