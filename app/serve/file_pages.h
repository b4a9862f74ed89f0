#pragma once

#include <string>
#include <vector>

#include "app/features/save_picture/picture_spec.h"
#include "app/serve/answers.h"
#include "app/serve/http_message.h"
#include "app/serve/served_folder.h"
#include "core/base/addresses.h"
#include "core/base/result.h"

/// Pictures that the reader of a page requests with parameters.
namespace snapviewer::serve {

/// Returns the picture that the parameters describe. Fails if it is larger than the limit for readers.
Result<save_picture::PictureSpec> picture_asked_for(const save_picture::Parameters& parameters);

/// Width of the whole picture of a device.
struct PictureWidth {
    double steps = 0;
    double time_us = 0;
};
/// Returns links that zoom and pan, for the page of a file; empty if the width of the picture is unknown.
std::string zoom_links(const save_picture::Parameters& parameters, const PictureWidth& width);

/// The pages of one file, for a single request.
class FilePages {
public:
    /// `has_page`: whether the web program is installed and can be linked to. All references must outlive this object.
    FilePages(ServeCommands& commands, const ServedPlace& file, const RequestTarget& target, bool has_page,
              const ServeCommands::IsReaderGone& is_reader_gone)
        : commands_(commands), file_(file), target_(target), has_page_(has_page), is_reader_gone_(is_reader_gone) {}

    /// Returns the page of the file: picture, report and a form for SQL. With ?json it returns the output of `report
    /// --json`, with ?json=info that of `info --json`.
    HttpAnswer page(const std::string& root_name) const;
    HttpAnswer picture() const;
    /// Returns the rows of the query in ?sql as a table, or as JSON and CSV with ?json and ?csv.
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

/// Names below a file's address: its picture, and the page of a query.
inline constexpr const char* k_picture_name = "picture.png";
inline constexpr const char* k_query_name = "query";

}  // namespace snapviewer::serve
