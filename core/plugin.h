// Parts of the program that are loaded when first used, because the libraries they link would slow
// the start of every command: the kernels that are measured, and the fits.
#pragma once

#include <filesystem>
#include <string>

namespace paceline {

// The address of `entry` in the plug-in called `name`, a file looked for in ../lib/paceline beside
// the program, then in `build_folder`. The plug-in stays loaded until the process ends. Throws
// Error (internal) if it is missing, cannot be loaded, or has no such entry.
void* load_plugin(const std::string& name, const std::filesystem::path& build_folder,
                  const std::string& entry);

}  // namespace paceline
