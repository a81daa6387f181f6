// Buttons that copy the text of the element they name. Where the clipboard may not be used, the
// text is selected instead.

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  const text = source.value ?? source.textContent;
  select(source);

  try {
    await navigator.clipboard.writeText(text);
    button.querySelector("[data-label]").textContent = button.dataset.copied;
  } catch {} // the selection remains
}

function select(source) {
  if (source.select) source.select();
  else getSelection().selectAllChildren(source);
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => copy(button));
}
