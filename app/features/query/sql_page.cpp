#include "app/features/query/sql_page.h"

#include <algorithm>

#include "app/features/query/sql_tokens.h"

namespace snapviewer {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }

}  // namespace

std::size_t past_character(std::string_view sql, std::size_t at) {
    do ++at;
    while (at < sql.size() && !begins_character(sql[at]));
    return at;
}

std::size_t first_line_end(std::string_view text, const FitsInLine& fits) {
    const std::size_t fitting = fits(text);
    if (fitting >= text.size()) return text.size();
    if (fitting == 0) return past_character(text, 0);
    const std::size_t blank = text.rfind(' ', fitting);
    return blank != text.npos && blank > 0 ? blank + 1 : fitting;
}

std::vector<SqlLine> wrap_sql(std::string_view sql, const FitsInLine& fits) {
    std::vector<SqlLine> lines;
    for (std::size_t begin = 0;;) {
        const std::size_t feed = std::min(sql.find('\n', begin), sql.size());
        const std::size_t end = begin + first_line_end(sql.substr(begin, feed - begin), fits);
        lines.push_back({begin, end});
        if (end < feed) {
            begin = end;
        } else if (feed < sql.size()) {
            begin = feed + 1;
        } else {
            return lines;
        }
    }
}

std::size_t line_of_byte(const std::vector<SqlLine>& lines, std::size_t byte) {
    const auto behind = std::ranges::upper_bound(lines, byte, {}, &SqlLine::begin);
    return behind == lines.begin() ? 0 : static_cast<std::size_t>(behind - lines.begin()) - 1;
}

std::size_t last_caret_of(const std::vector<SqlLine>& lines, std::size_t line, std::string_view sql) {
    const auto& [begin, end] = lines[line];
    const bool goes_on = line + 1 < lines.size() && lines[line + 1].begin == end;
    if (!goes_on) return end;
    std::size_t last = end - 1;
    while (last > begin && !begins_character(sql[last])) --last;
    return last;
}

SqlLine word_around(std::string_view sql, std::size_t byte) {
    if (byte >= sql.size() || !is_sql_name_byte(sql[byte])) {
        const bool is_behind_word = byte > 0 && is_sql_name_byte(sql[byte - 1]);
        if (!is_behind_word) return {byte, byte < sql.size() ? byte + 1 : byte};
    }
    std::size_t begin = byte, end = byte;
    while (begin > 0 && is_sql_name_byte(sql[begin - 1])) --begin;
    while (end < sql.size() && is_sql_name_byte(sql[end])) ++end;
    return {begin, end};
}

}  // namespace snapviewer
