// Show times in the time zone of the viewer, and take them in it. Without this script both are UTC.

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const page = document.documentElement.lang;
const format = new Intl.DateTimeFormat(page === "en" ? "en-GB" : page, {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZoneName: "short",
});

export function showTimes(root) {
  root.querySelectorAll("time[data-local]").forEach(show);
}

function show(time) {
  time.title = time.textContent;
  time.textContent = format.format(new Date(time.dateTime));
  time.removeAttribute("data-local");
}

// A field for a time keeps its name, hidden and in UTC, while what is seen is the time here.
function takeHere(seen) {
  const sent = seen.cloneNode();
  sent.type = "hidden";
  sent.removeAttribute("id");
  seen.removeAttribute("name");
  seen.after(sent);

  if (sent.value) seen.value = moved(sent.value, -offsetAt(`${sent.value}Z`));
  seen.addEventListener("input", () => {
    sent.value = seen.value && moved(seen.value, offsetAt(seen.value));
  });

  // its label, and the link to it from the list of errors
  const link = document.querySelector(`a[href="#${seen.id}"]`);
  for (const label of [seen.labels[0]?.firstChild, link]) {
    if (label) label.textContent = label.textContent.replace("UTC", zone);
  }
}

// How many minutes UTC is ahead of the time here, at a time.
function offsetAt(text) {
  return new Date(text).getTimezoneOffset();
}

function moved(text, minutes) {
  const time = new Date(`${text}Z`);
  time.setUTCMinutes(time.getUTCMinutes() + minutes);
  return time.toISOString().slice(0, 16);
}

if (zone !== "UTC") {
  showTimes(document);
  document.querySelectorAll("input[type=datetime-local]").forEach(takeHere);
}
