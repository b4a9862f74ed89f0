// Starts the program in this page and connects it with the browser: files, clipboard, window size, address and storage.
"use strict";

const element = (id) => document.getElementById(id);
const canvas = element("canvas");

// The canvas keeps its pixels, so that a frame draws only what has changed. The extension tells the program whether a graphics card
// draws.
const get_context = canvas.getContext.bind(canvas);
canvas.getContext = (kind, attributes) => {
    const context = get_context(kind, {...attributes, preserveDrawingBuffer: true});
    context?.getExtension("WEBGL_debug_renderer_info");
    return context;
};

function say(sentence) {
    element("greeting").hidden = false;
    element("progress").hidden = true;
    element("message").textContent = sentence;
}

// Returns whether the page may use threads. Browsers allow threads only in an isolated page, which the server requests by two headers. If
// the server does not send them, a service worker adds them: the page then reloads, and this function never returns.
async function can_have_threads() {
    if (embedded("program") || new URLSearchParams(location.search).has("alone")) return false;
    if (window.crossOriginIsolated) return true;
    if (!("serviceWorker" in navigator) || sessionStorage.getItem("reloaded") !== null) return false;
    try {
        await navigator.serviceWorker.register("service_worker.js");
        await navigator.serviceWorker.ready;
    } catch {
        return false;   // for example inside the page of a notebook
    }
    sessionStorage.setItem("reloaded", "once");
    location.reload();
    return new Promise(() => {});
}

// Data that `snapviewer export` has embedded in the page, as base64: the program, packed with gzip, and a file with its name.
const embedded = (what) => element(`embedded-${what}`);
function bytes_of(what) {
    const content = embedded(what).textContent;
    const text = atob(what === "file" ? JSON.parse(content).base64 : content);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
    return bytes;
}

// Adds a file to the program's file system and returns its path. With threads, the program reads parts of the file on demand through a
// blob URL; without threads, this function reads the whole file first. Each file has a folder of its own, because two files may have the
// same name. Slashes in a name are replaced, because they would lead to another folder.
let offered = 0;
const offered_files = new Map();
async function add(blob, name, written_ms) {
    const folder = `/files/${++offered}`;
    Module._snapviewer_end_warm_up?.();
    const path = `${folder}/${name.replaceAll("/", "_")}`;
    offered_files.set(path, {blob, name, written_ms});
    FS.mkdirTree(folder);
    FS.writeFile(path, Module.hasThreads ? "" : new Uint8Array(await blob.arrayBuffer()));
    if (Module.hasThreads) {
        Module.ccall("snapviewer_add_file", null, ["string", "string", "number", "number"],
                     [path, URL.createObjectURL(blob), blob.size, Math.floor(written_ms / 1000)]);
        if (await is_read_whole(blob).catch(() => false)) copy(blob, path);   // the program itself reports a file that is gone
    }
    return path;
}

function offer(path, is_chosen = 0) {
    Module.ccall("snapviewer_offer_file", null, ["string", "number"], [path, is_chosen]);
    return path;
}

// Returns whether the program reads the file from beginning to end. Databases are read in parts; very large files are excluded, too,
// because they would be in memory twice.
const largest_copy = 1 << 30;
async function is_read_whole(blob) {
    return blob.size > 0 && blob.size <= largest_copy && !(await blob.slice(0, 15).text()).startsWith("SQLite format 3");
}

// Worker: copies a file into the program's memory, where a thread of the program reads it meanwhile. The main thread is too busy with
// drawing for that.
async function copy_in_worker(event) {
    const {blob, memory, room, pieces} = event.data;
    const piece_bytes = 4 << 20;   // k_piece_bytes in core/system/web/browser_files.cpp
    const size_bytes = blob.size;
    const copied = (count) => Atomics.store(new Int32Array(memory, pieces, 1), 0, count);
    let is_whole = 1;
    try {
        const stream = blob.stream();
        let reader, buffer = new ArrayBuffer(1 << 20);
        try {
            reader = stream.getReader({mode: "byob"});   // reuses one buffer, which takes a third of the time
        } catch {
            reader = stream.getReader();
        }
        for (let at = 0; at < size_bytes;) {
            const {done, value} = await reader.read(new Uint8Array(buffer));
            if (done) throw new Error("the file has become shorter");
            new Uint8Array(memory, room + at, value.byteLength).set(value);
            at += value.byteLength;
            buffer = value.buffer;
            copied(at < size_bytes ? Math.floor(at / piece_bytes) : Math.ceil(at / piece_bytes));
        }
    } catch {
        is_whole = 0;   // the thread that reads the file reports the error
        copied(-1);     // FileCopy::k_given_up
    }
    postMessage(is_whole);
    close();
}

// Starts copy_in_worker(). If no worker can be started, the thread that waits for the copy reads the file itself.
function copy(blob, path) {
    const room = Module.ccall("snapviewer_room_for_copy", "pointer", ["string"], [path]);
    if (room === 0) return;
    const pieces = Module.ccall("snapviewer_pieces_of_copy", "pointer");
    const end = (is_whole) => Module._snapviewer_end_copy(is_whole);
    try {
        const worker = new Worker(URL.createObjectURL(new Blob([`onmessage = ${copy_in_worker}`])));
        worker.onmessage = (event) => end(event.data);
        worker.onerror = () => end(0);
        worker.postMessage({blob, memory: wasmMemory.buffer, room, pieces});
    } catch {
        end(0);
    }
}

// Opens files together, in their order: the program compares two files, and opens more as a fleet of ranks.
async function offer_chosen(files, is_chosen) {
    const complain = (file) => (error) =>
        void Module.ccall("snapviewer_complain", null, ["string"], [`${file.name} could not be read: ${error.message}`]);
    const paths = await Promise.all([...files].map((file) => add(file, file.name, file.lastModified || 0).catch(complain(file))));
    for (const path of paths) if (path !== undefined) offer(path, is_chosen);
}

// The page's address contains the link to the open file, if it was opened by a link, and the visible place after the #, which browsers do
// not send to servers.
const links = new Map();
const page_of_address = window.frameElement?.given ? window.parent : window;
const place_in_address = () => page_of_address.location.hash.slice(1);
function address_of(path, place) {
    const address = new URL(page_of_address.location.href);
    const memory = new URLSearchParams(address.search).get("memory");
    const search = new URLSearchParams(memory === null ? {} : {memory});
    if (links.has(path)) search.set("file", links.get(path));
    address.search = search;
    address.hash = place;
    return address.href;
}

// Delayed, because browsers refuse more than a few changes of the address per second.
let shown = null, changing = 0;
function change_address() {
    changing = 0;
    page_of_address.history.replaceState(null, "", address_of(shown.path, shown.place));
}

function show_address(path, place) {
    if (shown?.path === path && shown.place === place) return;
    shown = {path, place};
    changing ||= setTimeout(change_address, 500);
}

function listen_for_addresses() {
    page_of_address.addEventListener("hashchange", () => Module.ccall("snapviewer_show_place", null, ["string"], [place_in_address()]));
}

// Downloads the file that "?file=" names from this page's server, and opens it.
async function offer_link(link) {
    const url = new URL(link, location.href);
    const answer = await fetch(url);
    if (!answer.ok) return say(`${url} could not be loaded: ${answer.status} ${answer.statusText}`);
    const bytes = await answer.blob();
    const name = decodeURIComponent(url.pathname.split("/").pop()) || "snapshot";
    links.set(offer(await add(bytes, name, Date.parse(answer.headers.get("last-modified")) || 0)), link);
}

// Starts the program anew in a frame that covers the page, with one of the open files. Replaces the frame of this program if it runs in
// one.
function hand_over(path, takes_64_bits) {
    keep_settings();
    clearInterval(keeping);
    window.removeEventListener("pagehide", keep_settings);
    const frame = page_of_address.document.createElement("iframe");
    frame.given = {...offered_files.get(path), link: links.get(path)};
    frame.src = takes_64_bits ? "?memory=64" : "?";
    page_of_address.document.body.append(frame);
    if (page_of_address !== window) window.frameElement.remove();
}

// The build with 64-bit addresses is slower and needs a newer browser, so it is used only for a file that does not fit into 32 bits.
const has_64_bits = new URLSearchParams(location.search).get("memory") === "64";
const module_of_64_bits = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 3, 1, 4, 1]);   // a module with one 64-bit memory
function open_with_more_memory(path) {
    if (has_64_bits || !Module.hasThreads || !WebAssembly.validate(module_of_64_bits)) return 0;
    hand_over(path, true);
    return 1;
}

// A page may lose its WebGL context, for example when the graphics driver restarts. All data on the graphics card is then lost, so the
// program starts anew.
const soon_ms = 20_000;
let began = 0;
function go_on_without_graphics() {
    if (performance.now() - began > soon_ms) return hand_over(shown?.path, has_64_bits);
    canvas.hidden = true;
    say("The browser has taken the graphics card from this page as soon as it had it. Reload the page to try again.");
}

async function offer_given({blob, name, written_ms, link}) {
    if (!blob) return;
    const path = offer(await add(blob, name, written_ms));
    if (link !== undefined) links.set(path, link);
}

// Has the browser optimise the code that opens files while no file is open; see app/web/warm_up.cpp.
async function warm_up() {
    const answer = await fetch("sample.pickle");
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (!answer.ok || offered > 0) return;
    const folder = "/installed/share/snapviewer";   // app/system/folders.cpp looks there
    FS.mkdirTree(folder);
    FS.writeFile(`${folder}/sample.pickle`, bytes);
    Module.ccall("snapviewer_warm_up", null, ["string"], [`${folder}/sample.pickle`]);
}

// Moves the program's mouse for events that do not move the mouse of the browser: drops and fingers.
function move_mouse({clientX, clientY}) {
    canvas.dispatchEvent(new MouseEvent("mousemove", {clientX, clientY, bubbles: true}));
}

function listen_for_files() {
    window.addEventListener("dragover", (event) => event.preventDefault());
    window.addEventListener("drop", (event) => {
        event.preventDefault();
        event.stopPropagation();
        move_mouse(event);
        offer_chosen(event.dataTransfer.files, 0);
    }, true);
    element("picker").addEventListener("change", (event) => {
        offer_chosen(event.target.files, 1);
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

// The program stores preferences and notes as files, which the page keeps in localStorage. Browsers may refuse localStorage to a page
// that was opened from a disk.
const storage = (() => { try { return localStorage; } catch { return null; } })();
let keeping = 0;
const settings_folder = "/home/web_user/.config";
function all_files(folder) {
    return FS.readdir(folder).filter((name) => !name.startsWith(".")).flatMap((name) => {
        const path = `${folder}/${name}`;
        return FS.isDir(FS.stat(path).mode) ? all_files(path) : [path];
    });
}

// Removes the recent files from the preferences, because the page cannot open them again by itself.
function without_paths(text) {
    try {
        const {recent_files, recent_places, ...settings} = JSON.parse(text);
        return JSON.stringify(settings);
    } catch {
        return text;   // the program reports the error
    }
}

function restore_settings() {
    FS.mkdirTree(settings_folder);
    for (const [path, text] of Object.entries(JSON.parse(storage?.getItem("settings") ?? "{}"))) {
        FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
        FS.writeFile(path, path.endsWith("/settings.json") ? without_paths(text) : text);
    }
}

function keep_settings() {
    Module._snapviewer_keep();
    const files = all_files(settings_folder).map((path) => [path, FS.readFile(path, {encoding: "utf8"})]);
    storage?.setItem("settings", JSON.stringify(Object.fromEntries(files)));
}

// The keys that the program uses. The browser keeps those of the clipboard, because only its paste event contains the text, and those
// that act on its window.
const own_keys = /^(F1|F3|F6|F7|F8|F9|F10|Tab)$/;
const browser_keys = /^[cvxtwnr+\-=0]$/;
const zoom_keys = /^[+\-=0]$/;
function is_own_key(event) {
    if (event.ctrlKey || event.metaKey) return event.key.length === 1 && !browser_keys.test(event.key.toLowerCase());
    return own_keys.test(event.key) || event.altKey;
}

// Hides the keys of the browser's zoom from the program, which would otherwise enlarge its interface as well. Call it before the program
// starts to listen.
function hide_zoom_keys() {
    const hide = (event) => { if ((event.ctrlKey || event.metaKey) && zoom_keys.test(event.key)) event.stopImmediatePropagation(); };
    window.addEventListener("keydown", hide, true);
}

function listen_for_keys() {
    const note_ctrl = (event) => { Module.holdsCtrl = event.ctrlKey; };
    for (const kind of ["keydown", "keyup", "dragover"]) window.addEventListener(kind, note_ctrl, true);
    window.addEventListener("keydown", (event) => { if (is_own_key(event)) event.preventDefault(); }, true);
    // The side buttons of a mouse, by which a browser leaves the page. Emscripten's GLFW reports them as the right button.
    GLFW.DOMToGLFWMouseButton = (event) => [0, 2, 1][event.button] ?? event.button;
    for (const kind of ["mousedown", "mouseup", "auxclick"]) {
        window.addEventListener(kind, (event) => { if (event.button > 2) event.preventDefault(); }, true);
    }
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    document.addEventListener("paste", (event) => {
        Module.ccall("snapviewer_take_clipboard", null, ["string"], [event.clipboardData.getData("text/plain")]);
    });
}

// Passes wheel events on in notches, because Emscripten's GLFW counts every event of a touchpad as a whole notch. Browsers report a pinch
// on a touchpad as a wheel turn with Ctrl.
const notch_px = 100, notch_lines = 3, notches_a_pinch = 5;
function scroll(x, y) {
    Module.ccall("snapviewer_scroll", null, ["number", "number"], [x, y]);
}

function follow_wheel(event) {
    event.preventDefault();
    event.stopPropagation();
    const notch = [notch_px, notch_lines, 1][event.deltaMode];
    const is_wheel = event.wheelDeltaY && event.wheelDeltaY % 120 === 0;   // a wheel turns by whole notches
    const y = is_wheel ? event.wheelDeltaY / 120 : -event.deltaY / notch;
    const is_pinch = event.ctrlKey && !is_wheel && !Module.holdsCtrl;
    scroll(-event.deltaX / notch, is_pinch ? y * notches_a_pinch : y);
}

// GLFW treats one finger as the left mouse button. Two fingers zoom like a wheel at the middle between them, and move the picture.
const zoom_a_notch = 1 / 0.85;   // k_zoom_per_notch in app/features/timeline/timeline_axis.h
let fingers = null;
function follow_fingers(event) {
    if (event.touches.length !== 2) return void (fingers = null);
    event.preventDefault();
    event.stopPropagation();
    const [one, other] = event.touches;
    const now = {clientX: (one.clientX + other.clientX) / 2, clientY: (one.clientY + other.clientY) / 2,
                 distance: Math.max(Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY), 1)};
    if (fingers === null) {   // ends the press of the left button by the first finger
        canvas.dispatchEvent(new TouchEvent("touchcancel", {changedTouches: [one], bubbles: true}));
    } else {
        move_mouse(now);
        scroll(0, Math.log(now.distance / fingers.distance) / Math.log(zoom_a_notch));
    }
    fingers = now;
}

function listen_for_scrolling() {
    const early = {capture: true, passive: false};
    window.addEventListener("wheel", follow_wheel, early);
    for (const kind of ["touchstart", "touchmove", "touchend", "touchcancel"]) window.addEventListener(kind, follow_fingers, early);
}

function follow_size() {
    const resize = () => Module.ccall("snapviewer_resize", null, ["number", "number"], [innerWidth, innerHeight]);
    window.addEventListener("resize", resize);
    resize();
}

function begin() {
    canvas.hidden = false;
    restore_settings();
    const place = place_in_address() || embedded("file")?.dataset.place || "";
    began = performance.now();
    canvas.addEventListener("webglcontextlost", go_on_without_graphics);
    hide_zoom_keys();
    Module.callMain([]);
    if (place !== "") Module.ccall("snapviewer_show_place", null, ["string"], [place]);
    follow_size();
    listen_for_files();
    listen_for_keys();
    listen_for_scrolling();
    listen_for_addresses();
    keeping = setInterval(keep_settings, 5000);
    window.addEventListener("pagehide", keep_settings);
    canvas.focus();
    element("greeting").hidden = true;
    const link = new URLSearchParams(location.search).get("file");
    const given = window.frameElement?.given;
    if (given) offer_given(given).catch((error) => say(`${given.name} could not be read: ${error.message}`));
    else if (embedded("file")) add(new Blob([bytes_of("file")]), embedded("file").dataset.name, 0).then((path) => offer(path));
    else if (link !== null) offer_link(link).catch((error) => say(`${link} could not be loaded: ${error.message}`));
    else if (Module.hasThreads) warm_up().catch((error) => console.warn(`The first file will take longer: ${error.message}`));
}

// Draws a character that the program's own fonts lack with the system's fonts. Writes the coverage of each pixel to `room` in the
// program's memory, and returns the width in pixels.
const em_of_line = 0.8;   // font size as a fraction of the line height, as for the program's own fonts
const brush = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
function draw_character(code, height, most_width, room) {
    const text = String.fromCodePoint(code);
    const font = `${em_of_line * height}px sans-serif`;
    brush.font = font;
    const width = Math.min(Math.max(Math.ceil(brush.measureText(text).width), 1), most_width);
    Object.assign(brush.canvas, {width, height});   // also clears the canvas
    Object.assign(brush, {font, textBaseline: "middle"});
    brush.fillText(text, 0, height / 2);
    const pixels = brush.getImageData(0, 0, width, height).data;
    new Uint8Array(wasmMemory.buffer, room, width * height).forEach((_, i, coverage) => { coverage[i] = pixels[4 * i + 3]; });
    return width;
}

function say_end(what) {
    say(`snapviewer has ended because of an error: ${what}. Reload the page to go on.`);
}

for (const kind of ["error", "unhandledrejection"]) {
    window.addEventListener(kind, (event) => {
        const error = event.error ?? event.reason;
        // An error on another thread arrives as the ErrorEvent of its worker.
        const fails = [WebAssembly.RuntimeError, WebAssembly.Exception, ErrorEvent].some((kind) => error instanceof kind);
        if (fails) say_end(error.message);
    });
}

var Module = {
    canvas,
    noInitialRun: true,
    onRuntimeInitialized: begin,
    onAbort: say_end,
    print: (text) => console.log(text),
    printErr: (text) => console.warn(text),
    pickFiles: () => element("picker").click(),
    download,
    hasThreads: false,
    // Without threads, the program calls these functions to let the browser work.
    canWait: "Suspending" in WebAssembly,
    waitForPage: () => new Promise((go_on) => {
        const channel = new MessageChannel();
        channel.port1.onmessage = go_on;
        channel.port2.postMessage(0);
    }),
    callForTurn: () => setTimeout(() => Module._snapviewer_do_turns()),
    addressOf: address_of,
    openWithMoreMemory: open_with_more_memory,
    drawCharacter: draw_character,
    showAddress: show_address,
};

// Downloads the program and shows the progress.
async function load_program(name) {
    if (embedded("program")) {
        const packed = new Blob([bytes_of("program")]).stream();
        return new Response(packed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    }
    const answer = await fetch(name);
    if (!answer.ok) throw new Error(`${name} could not be loaded: ${answer.status} ${answer.statusText}`);
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

function run_script(name) {
    const script = document.createElement("script");
    if (embedded("script")) {
        script.textContent = new TextDecoder().decode(bytes_of("script"));
    } else {
        script.src = name;
        script.onerror = () => say(`${name} could not be loaded.`);
    }
    document.body.append(script);
}

async function start() {
    Module.hasThreads = await can_have_threads();
    if (document.createElement("canvas").getContext("webgl2") === null) {
        return say("This browser has no WebGL 2, or it is switched off: nothing can be drawn.");
    }
    const name = !Module.hasThreads ? "alone" : has_64_bits ? "snapviewer64" : "snapviewer";
    if (!Module.hasThreads && !Module.canWait) {  // work then runs without interruption
        WebAssembly.Suspending = function (imported) { return imported; };
        WebAssembly.promising = (exported) => exported;
    }
    Module.wasmBinary = await load_program(`${name}.wasm`);
    run_script(`${name}.js`);
}

start().catch((error) => say(error.message));
