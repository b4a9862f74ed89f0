#include "app/features/query/query_schema.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "app/features/query/sql_completion.h"
#include "app/features/query/sql_tokens.h"
#include "app/ui/fonts.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr float k_schema_type_px = 76;
constexpr float k_schema_text_px = 240;  // x position of descriptions, unless the name before it is wider

bool mentions(std::string_view text, const std::string& wanted) {
    return lower_case(text).find(wanted) != std::string::npos;
}

bool mentions(const ColumnDoc& column, const std::string& wanted) {
    return mentions(column.name + '\n' + column.text, wanted);
}

/// Draws a clickable name in the colour of its kind. Returns true if it was clicked.
bool draw_sql_name(const std::string& name, SqlKind kind) {
    const CodeFont code;
    const ImU32 colour = kind == SqlKind::keyword ? palette().text : palette().code[static_cast<std::size_t>(kind)];
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::PushStyleColor(ImGuiCol_Button, IM_COL32_BLACK_TRANS);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {scaled(3), 0});
    const bool is_clicked = ImGui::SmallButton(name.c_str());
    ImGui::PopStyleVar();
    ImGui::PopStyleColor(2);
    return is_clicked;
}

void draw_schema_doc(const std::string& text) {
    ImGui::PushTextWrapPos(0);
    ImGui::PushStyleColor(ImGuiCol_Text, palette().text_dim);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopStyleColor();
    ImGui::PopTextWrapPos();
}

class SchemaPainter {
public:
    explicit SchemaPainter(std::string wanted) : wanted_(std::move(wanted)) {}

    void draw(const Database& database) {
        ImGui::PushStyleVar(ImGuiStyleVar_IndentSpacing,
                            scaled(36));  // indents the columns behind the names of their tables
        std::string schema;
        for (const TableDoc& table : database.schema()) {
            if (table.is_empty || !is_wanted(table)) continue;
            if (std::exchange(schema, table.schema) != table.schema) draw_file(table);
            draw_table(table);
        }
        draw_functions();
        ImGui::PopStyleVar();
    }
    std::optional<std::string> take() { return std::move(clicked_); }

private:
    bool is_wanted(const TableDoc& table) const {
        if (mentions(table.name + '\n' + table.text, wanted_)) return true;
        return std::ranges::any_of(table.columns, [&](const ColumnDoc& column) { return mentions(column, wanted_); });
    }

    static void draw_file(const TableDoc& table) {
        ImGui::TextDisabled("%s", table.is_of_file
                                      ? fmt::format("Tables of {}, also as {}.NAME", table.file, table.schema).c_str()
                                      : fmt::format("Tables of B, {}", table.file).c_str());
    }

    void draw_table(const TableDoc& table) {
        ImGui::PushID(table.name.c_str());
        // If the search matches a column but not its table, the table opens to show the match.
        const bool finds_columns = !wanted_.empty() && !mentions(table.name, wanted_);
        if (finds_columns) ImGui::SetNextItemOpen(true);
        const bool is_open = ImGui::TreeNodeEx(finds_columns ? "##found" : "##table", ImGuiTreeNodeFlags_AllowItemOverlap);
        report_rect("schema_open_" + table.name);
        ImGui::SameLine(0, 2 * ImGui::GetStyle().ItemSpacing.x);  // same gap as ImGui leaves after the arrow of a tree node
        if (draw_sql_name(table.name, SqlKind::table)) clicked_ = table.name;
        report_rect("schema_" + table.name);
        put_doc(table.text);
        if (is_open) {
            for (const ColumnDoc& column : table.columns) {
                if (!finds_columns || mentions(column, wanted_) || mentions(table.text, wanted_)) draw_column(table, column);
            }
            ImGui::TreePop();
        }
        ImGui::PopID();
    }

    void draw_column(const TableDoc& table, const ColumnDoc& column) {
        if (draw_sql_name(column.name, SqlKind::keyword)) clicked_ = column.name;
        report_rect("schema_" + table.name + "_" + column.name);
        ImGui::SameLine(std::max(scaled(k_schema_text_px - k_schema_type_px),
                                 ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + scaled(8)));
        ImGui::TextDisabled("%s", column.type.c_str());
        put_doc(column.text);
    }

    /// Draws a description on the same line. Descriptions are aligned, unless a long name pushes one to the right.
    static void put_doc(const std::string& text) {
        const float behind = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + scaled(8);
        ImGui::SameLine(std::max(behind, scaled(k_schema_text_px)));
        draw_schema_doc(text);
    }

    void draw_functions() {
        if (!wanted_.empty()) ImGui::SetNextItemOpen(true);
        if (!ImGui::TreeNodeEx(wanted_.empty() ? "Functions" : "Functions##found")) return;
        for (const FunctionDoc& function : sql_functions()) {
            const std::string usage(function.usage);
            if (!mentions(usage + '\n' + std::string(function.text), wanted_)) continue;
            if (draw_sql_name(usage, SqlKind::function)) clicked_ = usage.substr(0, usage.find('(') + 1);
            put_doc(std::string(function.text));
        }
        ImGui::TreePop();
    }

    std::string wanted_;  ///< search text in lower case
    std::optional<std::string> clicked_;
};

}  // namespace

std::optional<std::string> draw_query_schema(std::string& wanted, const Database* database) {
    if (database == nullptr) {
        ImGui::TextDisabled("No file open");
        return std::nullopt;
    }
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##wanted", "Search tables, columns and functions; click a name to insert it", &wanted);
    report_rect("schema_wanted");
    SchemaPainter painter(lower_case(wanted));
    ImGui::BeginChild("tables");
    painter.draw(*database);
    ImGui::EndChild();
    return painter.take();
}

}  // namespace snapviewer
