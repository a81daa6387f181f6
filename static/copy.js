// Buttons and links that copy the text of the element they name. A link is followed afterwards.
// Where the clipboard may not be used, the text is selected instead. Until this script is there,
// buttons are disabled, and a link does not say yet that it copies.

async function copy({ dataset }) {
  const source = document.getElementById(dataset.copy);
  select(source);
  await navigator.clipboard.writeText(source.value ?? source.textContent);
}

function select(source) {
  if (source.select) source.select();
  else getSelection().selectAllChildren(source);
}

async function act(event) {
  const control = event.currentTarget;
  event.preventDefault();
  try {
    await copy(control);
    if (control.dataset.copied) control.textContent = control.dataset.copied;
  } catch {} // the selection remains

  if (control.href) location.assign(control.href);
}

for (const control of document.querySelectorAll("[data-copy]")) {
  control.addEventListener("click", act);
  control.disabled = false;
  if (control.dataset.ready) control.textContent = control.dataset.ready;
}
