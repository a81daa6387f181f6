// Requests from the page of the API: each form sends one with the token that was typed.

const token = document.querySelector("#try-token");

async function send(event) {
  event.preventDefault();
  const form = event.target;
  const answer = form.querySelector("output");
  const headers = { Authorization: `Bearer ${token.value.trim()}` };
  const request = { method: form.dataset.method, headers };
  const body = form.querySelector("textarea");
  const query = new URLSearchParams(new FormData(form));
  if (body) {
    headers["Content-Type"] = "application/json";
    request.body = body.value;
  }

  const address = body ? form.dataset.address : `${form.dataset.address}?${query}`;
  const response = await fetch(address, request).catch(() => null);
  answer.textContent = response ? await described(response) : form.dataset.failed;
}

async function described(response) {
  const text = await response.text();
  return `${response.status} ${response.statusText}\n${indented(text)}`;
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
}

for (const form of document.querySelectorAll("form[data-method]")) {
  form.addEventListener("submit", send);
}
