#include "app/views/query_pane.h"

#include <imgui.h>

#include <utility>

#include "app/ready_queries.h"
#include "app/views/query_input.h"
#include "app/views/query_results.h"

namespace snapviewer {
namespace {

constexpr float k_input_fraction = 0.36F;

/// Another file: the old answers are about the old one.
void follow_document(QueryPaneState& state, Job<QueryOutcome>& job, const Document* document) {
    const std::shared_ptr<const Database> database = document == nullptr ? nullptr : document->database;
    if (database == state.database) return;
    state.database = database;
    job.discard();
    state.result.reset();
    state.error.reset();
    state.row = -1;
    if (document != nullptr && state.sql.empty()) {
        const std::vector<ReadyQuery> own = ready_queries_of(document->database->schema());
        state.sql = (own.empty() ? ready_queries().front() : own.front()).sql;
        state.caret = static_cast<int>(state.sql.size());
    }
}

void run_query(QueryPaneState& state, Job<QueryOutcome>& job, const Document* document, Settings& settings) {
    if (document == nullptr || state.sql.find_first_not_of(" \t\r\n") == std::string::npos) return;
    remember_query(settings, state.sql);
    state.history_at = -1;
    state.ran_sql = state.sql;
    state.error.reset();
    job.start(querying(document->database, state.sql));
}

void take_result(QueryPaneState& state, Job<QueryOutcome>& job) {
    std::optional<QueryOutcome> outcome = job.take();
    if (!outcome) return;
    state.row = -1;
    if (outcome->ok()) {
        show_result(state, std::move(**outcome));
    } else {
        state.result.reset();
        state.error = outcome->error();
    }
}

}  // namespace

QueryPaneEvents draw_query_pane(QueryPaneState& state, Job<QueryOutcome>& job, const Document* document,
                                Settings& settings) {
    follow_document(state, job, document);
    take_result(state, job);
    const float input_px = ImGui::GetContentRegionAvail().x * k_input_fraction;
    ImGui::BeginChild("query_input", ImVec2(input_px, 0.0F));
    const bool run = draw_query_input(state, job, document, settings);
    ImGui::EndChild();
    ImGui::SameLine();
    ImGui::BeginChild("query_results");
    QueryPaneEvents events = draw_query_results(state, job, document != nullptr);
    ImGui::EndChild();
    if (run) run_query(state, job, document, settings);
    return events;
}

}  // namespace snapviewer
