#include "app/serve/html.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr const char* k_style = R"css(
body { font: 15px/1.5 "Open Sans", sans-serif; margin: 1.5em auto; padding: 0 1em; max-width: 90em }
table { border-collapse: collapse }
th, td { text-align: left; padding: .15em 1.2em .15em 0; vertical-align: top }
td.number { text-align: right; font-variant-numeric: tabular-nums }
pre, textarea, td.code { font: 13px/1.45 "JetBrains Mono", monospace }
pre { overflow-x: auto; white-space: pre-wrap }
textarea { width: 100%; box-sizing: border-box }
img { max-width: 100%; height: auto }
label { margin-right: 1em; white-space: nowrap }
.error { color: #b00020 }
.main { font-weight: 600 }
@media (prefers-color-scheme: dark) {
    body { background: #16181d; color: #d8dbe2 }
    a { color: #8ab4f8 }
    a:visited { color: #c58af9 }
    .error { color: #ff8a80 }
}
)css";

std::string_view entity_of(char c) {
    switch (c) {
        case '&': return "&amp;";
        case '<': return "&lt;";
        case '>': return "&gt;";
        case '"': return "&quot;";
        case '\'': return "&#39;";
        default: return "";
    }
}

}  // namespace

std::string html_text(std::string_view text) {
    std::string html;
    for (const char c : valid_utf8(text)) {
        const bool is_control = (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == '\x7f';
        const std::string_view entity = entity_of(c);
        if (is_control)
            html += "\xef\xbf\xbd";  // U+FFFD in UTF-8
        else if (entity.empty())
            html += c;
        else
            html += entity;
    }
    return html;
}

std::string html_name(std::string_view name) { return html_text(one_line(name)); }

std::string html_page(std::string_view title, std::string body, std::string_view refresh) {
    const std::string again =
        refresh.empty() ? "" : fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">\n", html_text(refresh));
    const std::string head = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"referrer\" content=\"no-referrer\">\n{}<title>{} - snapviewer</title>\n<style>{}</style>\n</head>\n"
        "<body>\n",
        again, html_name(title), k_style);
    body.insert(0, head);
    body += "</body>\n</html>\n";
    return body;
}

std::string html_way(std::string_view root_name, std::span<const std::string> names) {
    std::string way = "<p>";
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::string up;
        for (std::size_t step = i; step < names.size(); ++step) up += "../";
        way += fmt::format("<a href=\"{}\">{}</a> / ", up, html_name(i == 0 ? root_name : names[i - 1]));
    }
    return way + fmt::format("<strong>{}</strong></p>\n", html_name(names.empty() ? root_name : names.back()));
}

}  // namespace snapviewer
