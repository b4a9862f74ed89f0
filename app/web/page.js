// Starts the program in this page and gives it what only a page has: files, the clipboard, the size of the window.
"use strict";

const element = (id) => document.getElementById(id);
const canvas = element("canvas");

function say(sentence) {
    element("greeting").hidden = false;
    element("progress").hidden = true;
    element("message").textContent = sentence;
}

// Threads need a page that is kept apart from others, which its server says by two headers. Where the server does not, a service worker adds
// them; the page is loaded once more with it. False while that happens, or where it cannot.
async function is_isolated() {
    if (window.crossOriginIsolated) return true;
    if (!("serviceWorker" in navigator)) {
        say("This page needs to come from a web server with https, or from this machine. Started from a file, a browser gives it no threads.");
        return false;
    }
    await navigator.serviceWorker.register("service_worker.js");
    await navigator.serviceWorker.ready;
    if (sessionStorage.getItem("reloaded") === null) {
        sessionStorage.setItem("reloaded", "once");
        location.reload();
    } else {
        say("This browser does not give the page the threads that it needs (SharedArrayBuffer). Recent versions of Chromium, Firefox and Safari do.");
    }
    return false;
}

// Files keep their name; two of one name are told apart by their folder. A link may name a file with slashes, which must not lead elsewhere.
let offered = 0;
function offer(file, url, is_chosen = 0) {
    const folder = `/files/${++offered}`;
    const path = `${folder}/${file.name.replaceAll("/", "_")}`;
    FS.mkdirTree(folder);
    FS.writeFile(path, "");
    const written_s = Math.floor((file.lastModified || 0) / 1000);
    Module.ccall("snapviewer_add_file", null, ["string", "string", "number", "number"], [path, url, file.size, written_s]);
    Module.ccall("snapviewer_offer_file", null, ["string", "number"], [path, is_chosen]);
    return path;
}

// The address says which file is open, where it came by a link, and what of it is on the screen: behind the #, which no server sees. Tests
// have the program tell of itself by "#state" (docs/testing.md).
const links = new Map();
const is_for_tests = /^#state(&|$)/.test(location.hash);
const place_in_address = () => location.hash.slice(is_for_tests ? "#state&".length : 1);
function address_of(path, place) {
    const address = new URL(location.href);
    address.search = links.has(path) ? `?${new URLSearchParams({file: links.get(path)})}` : "";
    address.hash = place;
    return address.href;
}

// Browsers refuse more than a few changes a second.
let shown = null, changing = 0;
function change_address() {
    changing = 0;
    history.replaceState(null, "", address_of(shown.path, is_for_tests ? `state&${shown.place}` : shown.place));
}

function show_address(path, place) {
    if (shown?.path === path && shown.place === place) return;
    shown = {path, place};
    changing ||= setTimeout(change_address, 500);
}

function listen_for_addresses() {
    window.addEventListener("hashchange", () => Module.ccall("snapviewer_show_place", null, ["string"], [place_in_address()]));
}

// What "?file=" names, of this page's own server: the browser reads it before the program does.
async function offer_link(link) {
    const url = new URL(link, location.href);
    const answer = await fetch(url);
    if (!answer.ok) return say(`${url} could not be loaded: ${answer.status} ${answer.statusText}`);
    const bytes = await answer.blob();
    const name = decodeURIComponent(url.pathname.split("/").pop()) || "snapshot";
    const written = Date.parse(answer.headers.get("last-modified")) || 0;
    links.set(offer({name, size: bytes.size, lastModified: written}, URL.createObjectURL(bytes)), link);
}

function listen_for_files() {
    window.addEventListener("dragover", (event) => event.preventDefault());
    window.addEventListener("drop", (event) => {
        event.preventDefault();
        event.stopPropagation();
        for (const file of event.dataTransfer.files) offer(file, URL.createObjectURL(file));
    }, true);
    element("picker").addEventListener("change", (event) => {
        for (const file of event.target.files) offer(file, URL.createObjectURL(file), 1);
        event.target.value = "";
        canvas.focus();
    });
}

function download(path) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([FS.readFile(path)]));
    link.download = path.split("/").pop();
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// Preferences and notes are files to the program. The browser keeps them for this page alone.
const settings_folder = "/home/web_user/.config";
function all_files(folder) {
    return FS.readdir(folder).filter((name) => !name.startsWith(".")).flatMap((name) => {
        const path = `${folder}/${name}`;
        return FS.isDir(FS.stat(path).mode) ? all_files(path) : [path];
    });
}

// Of the files that were open, which have to be given to the page anew.
function without_paths(text) {
    try {
        const {recent_files, recent_places, ...settings} = JSON.parse(text);
        return JSON.stringify(settings);
    } catch {
        return text;   // the program says what is wrong with it
    }
}

function restore_settings() {
    FS.mkdirTree(settings_folder);
    for (const [path, text] of Object.entries(JSON.parse(localStorage.getItem("settings") ?? "{}"))) {
        FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
        FS.writeFile(path, path.endsWith("/settings.json") ? without_paths(text) : text);
    }
}

function keep_settings() {
    const files = all_files(settings_folder).map((path) => [path, FS.readFile(path, {encoding: "utf8"})]);
    localStorage.setItem("settings", JSON.stringify(Object.fromEntries(files)));
}

// Those that the program has a meaning for. The browser keeps the clipboard's, whose events bring the text, and those for its own window.
const own_keys = /^(F1|F3|F6|F7|F8|F9|F10|Tab)$/;
const browser_keys = /^[cvxtwnr+\-=0]$/;
function is_own_key(event) {
    if (event.ctrlKey || event.metaKey) return event.key.length === 1 && !browser_keys.test(event.key.toLowerCase());
    return own_keys.test(event.key) || event.altKey;
}

function listen_for_keys() {
    const note_ctrl = (event) => { Module.holdsCtrl = event.ctrlKey; };
    for (const kind of ["keydown", "keyup", "dragover"]) window.addEventListener(kind, note_ctrl, true);
    window.addEventListener("keydown", (event) => { if (is_own_key(event)) event.preventDefault(); }, true);
    // The buttons at the side of a mouse, with which a browser leaves the page.
    for (const kind of ["mousedown", "mouseup", "auxclick"]) {
        window.addEventListener(kind, (event) => { if (event.button > 2) event.preventDefault(); }, true);
    }
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    document.addEventListener("paste", (event) => {
        Module.ccall("snapviewer_take_clipboard", null, ["string"], [event.clipboardData.getData("text/plain")]);
    });
}

function follow_size() {
    const resize = () => Module.ccall("snapviewer_resize", null, ["number", "number"], [innerWidth, innerHeight]);
    window.addEventListener("resize", resize);
    resize();
}

function begin() {
    canvas.hidden = false;
    restore_settings();
    const place = place_in_address();
    Module.callMain(is_for_tests ? ["--state-file", "/state.json"] : []);
    if (place !== "") Module.ccall("snapviewer_show_place", null, ["string"], [place]);
    follow_size();
    listen_for_files();
    listen_for_keys();
    listen_for_addresses();
    setInterval(keep_settings, 5000);
    window.addEventListener("pagehide", keep_settings);
    canvas.focus();
    element("greeting").hidden = true;
    const link = new URLSearchParams(location.search).get("file");
    if (link !== null) offer_link(link).catch((error) => say(`${link} could not be loaded: ${error.message}`));
}

var Module = {
    canvas,
    noInitialRun: true,
    onRuntimeInitialized: begin,
    onAbort: (what) => say(`snapviewer has ended because of an error: ${what}. Reload the page to go on.`),
    print: (text) => console.log(text),
    printErr: (text) => console.warn(text),
    pickFiles: () => element("picker").click(),
    download,
    addressOf: address_of,
    showAddress: show_address,
};

// The program itself, and how much of it has come.
async function load_program() {
    const answer = await fetch("snapviewer.wasm");
    if (!answer.ok) throw new Error(`snapviewer.wasm could not be loaded: ${answer.status} ${answer.statusText}`);
    const expected = Number(answer.headers.get("content-length")) || 0;
    const packed = answer.headers.get("content-encoding") !== null;
    const reader = answer.body.getReader();
    const parts = [];
    let came = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
        parts.push(part.value);
        came += part.value.length;
        if (expected > 0 && !packed) element("progress").value = came / expected;
    }
    return new Blob(parts).arrayBuffer();
}

async function start() {
    if (!await is_isolated()) return;
    if (document.createElement("canvas").getContext("webgl2") === null) {
        return say("This browser has no WebGL 2, or it is switched off: nothing can be drawn.");
    }
    Module.wasmBinary = await load_program();
    const script = document.createElement("script");
    script.src = "snapviewer.js";
    script.onerror = () => say("snapviewer.js could not be loaded.");
    document.body.append(script);
}

start().catch((error) => say(error.message));
