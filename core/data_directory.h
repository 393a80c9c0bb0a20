// Where the data files that ship with Paceline lie: catalogs, fitted parameters, validation cases.
#pragma once

#include <filesystem>

namespace paceline {

// The folder that holds `model/catalog/`, `calibration/fitted/` and `validation/`: $PACELINE_DATA
// if set; else share/paceline beside the installed program, or in the folder of the shared object
// that holds this code (a Python module); else the source tree this was built from. Throws
// InputError if none of them exists.
std::filesystem::path data_directory();

// Where `calibrate --install` puts this machine's parameters: $XDG_DATA_HOME/paceline, by default
// ~/.local/share/paceline (XDG Base Directory Specification 0.8). Not created here. Throws
// InputError if neither XDG_DATA_HOME nor HOME is set.
std::filesystem::path user_data_directory();

}  // namespace paceline
