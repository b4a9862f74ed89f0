#pragma once

#include <string>
#include <vector>

#include "app/serve/answers.h"
#include "app/serve/commands.h"
#include "app/serve/http_peer.h"
#include "app/serve/served_folder.h"
#include "core/base/request_target.h"

namespace snapviewer {

/// Everything that is shown of one file. One visit: made for a request, used up by it.
class FilePages {
public:
    /// `has_page`: the program's own page is there to lead to.
    FilePages(ServeCommands& commands, const ServedPlace& file, const RequestTarget& target, bool has_page,
              const ServeCommands::IsReaderGone& is_reader_gone)
        : commands_(commands), file_(file), target_(target), has_page_(has_page), is_reader_gone_(is_reader_gone) {}

    /// Picture, report and a form for SQL; with ?json what `report --json` says, with ?json=info what `info --json` does.
    HttpAnswer page(const std::string& root_name) const;
    HttpAnswer picture() const;
    /// The rows of ?sql, as a table, or for programs with ?json and ?csv.
    HttpAnswer query(const std::string& root_name) const;

private:
    ServeCommands::Answer ask(std::vector<std::string> arguments) const;
    ServeCommands::Answer ask_rows() const;
    std::vector<std::string> with_device(std::vector<std::string> arguments) const;
    HttpAnswer json() const;
    std::string query_form() const;
    void add_rows(std::string& html, const ChildAnswer& answer) const;
    std::vector<std::string> shown_names() const;

    ServeCommands& commands_;
    const ServedPlace& file_;
    const RequestTarget& target_;
    const bool has_page_;
    const ServeCommands::IsReaderGone& is_reader_gone_;
};

/// Of what lies below a file: its picture, and the page of a query.
inline constexpr const char* k_picture_name = "picture.png";
inline constexpr const char* k_query_name = "query";

}  // namespace snapviewer
