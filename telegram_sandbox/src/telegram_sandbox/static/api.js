/** The sandbox's control API: one function per request. */

export async function request(method, path, body) {
  const options = { method, headers: {} };
  if (body instanceof FormData) options.body = body;
  else if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const response = await fetch(`/sandbox/${path}`, options);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(reason(answer) ?? `The sandbox answered ${response.status}.`);
  return answer;
}

function reason(answer) {
  const said = answer.error ?? answer.detail ?? answer.description;
  return typeof said === "string" ? said : undefined;
}

export const state = () => request("GET", "state");
export const eventsUrl = (cursor) => `/sandbox/events?cursor=${cursor}`;

export const addPerson = (name) => request("POST", "people", { name, joins: true });
export const changePerson = (id, changes) => request("PATCH", `people/${id}`, changes);
export const removePerson = (id) => request("DELETE", `people/${id}`);

export const sendText = (message) => request("POST", "messages", message);
export const vote = (choice) => request("POST", "votes", choice);
export const followInvite = (invitation) => request("POST", "invitations", invitation);
export const react = (reaction) => request("POST", "reactions", reaction);
export const pay = (order) => request("POST", "payments", order);
export const tap = (press) => request("POST", "taps", press);

export const pressKey = (press) => request("POST", "keys", press);

export const openWebApp = (launch) => request("POST", "web_apps", launch);

export const askInline = (question) => request("POST", "inline/queries", question);
export const chooseInline = (choice) => request("POST", "inline/choices", choice);
export const setInlineMode = (enabled) => request("POST", "inline", { enabled });

function asForm(fields) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== null) form.append(name, value);
  }
  return form;
}

export const sendMedia = (fields) => request("POST", "media", asForm(fields));

export const acts = () => request("GET", "acts");

/** Do any act of the table: fields that are `places` are part of its address. */
export function perform(address, places, given) {
  const [verb, path] = address.split(" ");
  const left = Object.fromEntries(Object.entries(given).filter(([name]) => !places.includes(name)));
  const filled = path.slice(1).replace(/{(\w+)}/g, (_, name) => given[name]);
  return request(verb, filled, left.file ? asForm(left) : left);
}

export const setBotStatus = (chat, status) => request("POST", `chats/${chat}/bot`, { status });
export const setAdmin = (chat, person, admin) => request("POST", `chats/${chat}/admins`, { user_id: person, admin });
export const addGroup = (title, members) => request("POST", "chats", { title, type: "supergroup", members });
export const joinChat = (chat, person) => request("POST", `chats/${chat}/members`, { user_id: person });
export const leaveChat = (chat, person) => request("DELETE", `chats/${chat}/members/${person}`);

export const reset = () => request("POST", "reset");
export const setFloodLimits = (enabled) => request("POST", "flood", { enabled });
