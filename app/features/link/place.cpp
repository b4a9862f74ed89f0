#include "app/features/link/place.h"

#include "app/features/save_picture/picture_parameters.h"
#include "app/features/save_picture/shown_picture.h"
#include "core/base/addresses.h"

namespace snapviewer {
namespace {

constexpr const char* k_sql = "sql";

}  // namespace

std::string place_text(const AppState& state) {
    Parameters parameters;
    if (why_no_render_command(state).empty()) parameters = parameters_of(shown_picture(state, Ground::dark));
    if (state.document && state.query.is_open && !state.query.ran_sql.empty()) parameters[k_sql] = state.query.ran_sql;
    const std::string query = query_of(parameters);
    return query.empty() ? "" : query.substr(1);
}

Result<LinkedPlace> parse_place(const std::string& text) {
    const auto parameters = parse_query(text);
    if (!parameters) return Error{ErrorCode::bad_query, "the link is broken: it is not of the form name=value&name=value"};
    Result<PictureSpec> picture = picture_of(*parameters);
    if (!picture) return picture.error();
    const auto sql = parameters->find(k_sql);
    return LinkedPlace{*std::move(picture), sql == parameters->end() ? "" : sql->second};
}

std::string is_place(const std::string& text) {
    const Result<LinkedPlace> place = parse_place(text);
    return place ? "" : place.error().message;
}

}  // namespace snapviewer
