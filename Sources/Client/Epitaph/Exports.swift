// SPDX-License-Identifier: Apache-2.0

// What a program hands over and gets back is declared in these. All of it is nested in `Epitaph`,
// so a program that imports this module gets one name.
@_exported import EpitaphCapture
@_exported import EpitaphDatabase
@_exported import EpitaphEvents
@_exported import EpitaphHTTP
@_exported import EpitaphMinidump
@_exported import EpitaphSystem
@_exported import EpitaphUpload
@_exported import EpitaphValues
