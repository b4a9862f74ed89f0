// A memory that is counted by 64 bits is asked for by another word since it is no experiment any more.
{
    const Memory = WebAssembly.Memory;
    WebAssembly.Memory = class extends Memory {
        constructor(wanted) {
            super("index" in wanted ? {...wanted, address: wanted.index} : wanted);
        }
    };
}
