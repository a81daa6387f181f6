// The connection to the server: requests with a time limit, and the delays between attempts.

const TIMEOUT = 10_000; // milliseconds
const DELAYS = [1000, 2000, 4000, 8000, 15_000, 30_000]; // milliseconds

// How long to wait after so many failures in a row.
export function delayAfter(failures) {
  return DELAYS[Math.min(failures, DELAYS.length) - 1];
}

// The server's answer to votes that come faster than their questions can be read.
export class TooFast extends Error {}

// Send a message as JSON and return the reply; throw where there is none.
export async function post(address, message) {
  const response = await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(message),
    signal: AbortSignal.timeout(TIMEOUT),
  });
  if (response.status === 429) throw new TooFast("too fast");
  if (!response.ok) throw new Error(response.statusText);

  return response.json();
}

// Check that the server takes forms, be it that nothing is at the address; throw where it fails.
export async function reach(address) {
  const options = { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT) };
  const { ok, status } = await fetch(address, options);
  if (!ok && status !== 404) throw new Error(address);
}
