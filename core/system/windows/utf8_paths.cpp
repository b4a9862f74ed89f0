#include <windows.h>

#include <locale>

// Paths are UTF-8 in this program, and std::filesystem::path converts narrow text with this codecvt. GCC's library uses the
// C locale, which cannot be UTF-8 in this C runtime. The linker prefers these functions to those in the library's archive.
// Invalid UTF-8 or UTF-16, which names of files may contain, becomes U+FFFD instead of an exception. With a runtime that
// supports UTF-8 locales (UCRT), setlocale(LC_CTYPE, ".UTF-8") has the same effect.
namespace std {

using Utf8 = codecvt<wchar_t, char, mbstate_t>;

Utf8::result Utf8::do_in(state_type& /*state*/, const extern_type* from, const extern_type* from_end,
                         const extern_type*& from_next, intern_type* to, intern_type* to_end, intern_type*& to_next) const {
    const int size = static_cast<int>(from_end - from);
    const int made = ::MultiByteToWideChar(CP_UTF8, 0, from, size, to, static_cast<int>(to_end - to));
    from_next = made > 0 ? from_end : from;
    to_next = to + made;
    return made > 0 || size == 0 ? ok : partial;
}

Utf8::result Utf8::do_out(state_type& /*state*/, const intern_type* from, const intern_type* from_end,
                          const intern_type*& from_next, extern_type* to, extern_type* to_end, extern_type*& to_next) const {
    const int size = static_cast<int>(from_end - from);
    const int made = ::WideCharToMultiByte(CP_UTF8, 0, from, size, to, static_cast<int>(to_end - to), nullptr, nullptr);
    from_next = made > 0 ? from_end : from;
    to_next = to + made;
    return made > 0 || size == 0 ? ok : partial;
}

int Utf8::do_encoding() const noexcept { return 0; }
int Utf8::do_max_length() const noexcept { return 4; }

int Utf8::do_length(state_type& /*state*/, const extern_type* from, const extern_type* end, size_t max) const {
    const extern_type* at = from;
    for (size_t units = 0; at < end; ++at) {
        const auto byte = static_cast<unsigned char>(*at);
        units += (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
        if (units > max) break;
    }
    return static_cast<int>(at - from);
}

}  // namespace std
