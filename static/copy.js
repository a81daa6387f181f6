// Buttons that copy the field they name; where the clipboard is closed, the field is selected.
"use strict";

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copy);
    field.select();
    await navigator.clipboard?.writeText(field.value).then(() => {
      button.textContent = button.dataset.said;
    }, () => null);
  });
}
