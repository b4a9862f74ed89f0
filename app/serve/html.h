#pragma once

#include <span>
#include <string>
#include <string_view>

/// HTML pages, simple enough for browsers that only show text.
namespace snapviewer {

/// Escapes a text for HTML elements and quoted attributes. Invalid UTF-8 becomes U+FFFD.
std::string html_text(std::string_view text);
/// Escapes a name for HTML and puts it on one line.
std::string html_name(std::string_view name);

/// Returns a whole page around `body`, which is moved. `refresh` is empty, or the number of seconds after which the browser
/// reloads the page.
std::string html_page(std::string_view title, std::string body, std::string_view refresh);

/// Returns links to the folders above, followed by the last name. Heads the page of a folder, and every page below a file.
std::string html_way(std::string_view root_name, std::span<const std::string> names);

}  // namespace snapviewer
