// WebAssembly has renamed the option that requests a memory with 64-bit addresses from `index` to `address`; Emscripten passes `index`.
{
    const Memory = WebAssembly.Memory;
    WebAssembly.Memory = class extends Memory {
        constructor(wanted) {
            super("index" in wanted ? {...wanted, address: wanted.index} : wanted);
        }
    };
}
