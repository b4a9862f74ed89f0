#include "core/query/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/text.h"

namespace snapviewer::query {
namespace {

constexpr std::size_t k_max_cell_width = 120;

/// Formats a real number as SQLite does, always recognisable as a real number.
std::string real_text(double value) {
    if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

/// Converts a cell to text; NULL becomes an empty text.
std::string plain_text(const Cell& cell) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&cell)) return real_text(*real);
    if (const auto* text = std::get_if<std::string>(&cell)) return valid_utf8(*text);
    return "";
}

std::string shown_text(const Cell& cell) {
    const auto* text = std::get_if<std::string>(&cell);
    return text != nullptr ? terminal_text(*text) : plain_text(cell);
}

/// Quotes a field if RFC 4180 requires it. An empty text is written as "" to distinguish it from NULL, which is an empty
/// field.
std::string csv_field(std::string text, bool is_text) {
    if (!is_text) return text;
    if (!text.empty() && text.find_first_of("\",\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('"', at), text.size());
        quoted.append(text, at, end - at);
        if (end < text.size()) quoted += "\"\"";
        at = end + 1;
    }
    return quoted + "\"";
}

class CsvWriter final : public ResultWriter {
public:
    CsvWriter(TextOutput output, CsvTexts texts) : output_(std::move(output)), texts_(texts) {}

    bool begin(std::span<const std::string> columns) override {
        std::string line;
        for (const std::string& column : columns) line += csv_field(written(valid_utf8(column)), true) + ",";
        return write_line(std::move(line));
    }
    bool row(std::span<const Cell> cells) override {
        std::string line;
        for (const Cell& cell : cells) {
            const bool is_text = std::holds_alternative<std::string>(cell);
            line += csv_field(is_text ? written(plain_text(cell)) : plain_text(cell), is_text) + ",";
        }
        return write_line(std::move(line));
    }
    void end() override {}

private:
    std::string written(std::string text) const {
        constexpr std::string_view k_formula_starts = "=+-@\t\r\n";
        const bool is_formula = !text.empty() && k_formula_starts.find(text.front()) != k_formula_starts.npos;
        return texts_ == CsvTexts::safe && is_formula ? "'" + text : text;
    }

    bool write_line(std::string line) {
        if (!line.empty()) line.pop_back();
        return output_(line + "\r\n");
    }

    TextOutput output_;
    CsvTexts texts_;
};

class JsonWriter final : public ResultWriter {
public:
    explicit JsonWriter(TextOutput output) : output_(std::move(output)) {}

    /// Makes the keys unique, because a JSON object cannot hold two values under one name: the second "id" becomes "id_2".
    bool begin(std::span<const std::string> columns) override {
        std::set<std::string> taken;
        for (const std::string& column : columns) {
            std::string name = column;
            for (int number = 2; !taken.insert(name).second; ++number) name = fmt::format("{}_{}", column, number);
            keys_.push_back(json_quoted(name) + ": ");
        }
        return output_("[");
    }
    bool row(std::span<const Cell> cells) override {
        std::string line = is_first_ ? "\n{" : ",\n{";
        is_first_ = false;
        for (std::size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ", ") + keys_[i] + value(cells[i]);
        return output_(line + "}");
    }
    void end() override { output_(is_first_ ? "]\n" : "\n]\n"); }

private:
    static std::string value(const Cell& cell) {
        if (std::holds_alternative<std::monostate>(cell)) return "null";
        if (const auto* real = std::get_if<double>(&cell)) return std::isfinite(*real) ? real_text(*real) : "null";
        if (const auto* text = std::get_if<std::string>(&cell)) return json_quoted(*text);
        return plain_text(cell);
    }

    TextOutput output_;
    std::vector<std::string> keys_;
    bool is_first_ = true;
};

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !continues_character(c); }));
}

std::string cut(std::string text) {
    if (width_of(text) <= k_max_cell_width) return text;
    std::size_t characters = 0;
    const auto end =
        std::ranges::find_if(text, [&](char c) { return !continues_character(c) && ++characters == k_max_cell_width; });
    text.erase(end, text.end());
    return text + "\u2026";
}

std::string format_table(const QueryResult& result) {
    const std::size_t columns = result.columns.size();
    std::vector<std::string> texts;
    for (const std::string& name : result.columns) texts.push_back(cut(terminal_text(name)));
    for (const Cell& cell : result.cells) texts.push_back(cut(shown_text(cell)));
    std::vector<std::size_t> widths(columns);
    std::vector<bool> is_number(columns, result.row_count() > 0);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        widths[i % columns] = std::max(widths[i % columns], width_of(texts[i]));
        if (i >= columns && std::holds_alternative<std::string>(result.cells[i - columns])) is_number[i % columns] = false;
    }
    std::string out;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::size_t column = i % columns;
        const std::string padding(widths[column] - width_of(texts[i]), ' ');
        out += is_number[column] ? padding + texts[i] : texts[i] + padding;
        if (column + 1 < columns) {
            out += "  ";
            continue;
        }
        out.erase(out.find_last_not_of(' ') + 1);
        out += '\n';
        if (i >= columns) continue;
        for (std::size_t c = 0; c < columns; ++c) out += std::string(widths[c], '-') + (c + 1 < columns ? "  " : "\n");
    }
    return out;
}

}  // namespace

std::unique_ptr<ResultWriter> make_csv_writer(TextOutput output, CsvTexts texts) {
    return std::make_unique<CsvWriter>(std::move(output), texts);
}
std::unique_ptr<ResultWriter> make_json_writer(TextOutput output) { return std::make_unique<JsonWriter>(std::move(output)); }

std::string format_result(const QueryResult& result, TableFormat format) {
    if (format == TableFormat::table) return format_table(result);
    std::string out;
    const auto append = [&out](std::string_view text) {
        out += text;
        return true;
    };
    const auto writer = format == TableFormat::csv ? make_csv_writer(append) : make_json_writer(append);
    writer->begin(result.columns);
    const std::span<const Cell> cells = result.cells;
    for (std::size_t row = 0; row < result.row_count(); ++row) {
        writer->row(cells.subspan(row * result.columns.size(), result.columns.size()));
    }
    writer->end();
    return out;
}

}  // namespace snapviewer::query
