#pragma once

#include <span>
#include <string>
#include <string_view>

/// Pages of HTML, plain enough for browsers that only know text.
namespace snapviewer {

/// A text as HTML says it, in elements and in quoted attributes; what is not UTF-8 becomes U+FFFD.
std::string html_text(std::string_view text);
/// A name likewise, in one line.
std::string html_name(std::string_view name);

/// A whole page around `body`, which is not copied. `refresh` is empty, or the number of seconds after which it is to be
/// read again.
std::string html_page(std::string_view title, std::string body, std::string_view refresh);

/// Links to the folders above, and the last name: of a folder's page, and of all that lies below a file.
std::string html_way(std::string_view root_name, std::span<const std::string> names);

}  // namespace snapviewer
