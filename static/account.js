// Pages of an account: logging out removes the judging pages that the browser keeps.

document.querySelector("#log-out").addEventListener("submit", () => {
  self.caches?.delete("tercet-judging");
});
