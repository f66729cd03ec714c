// SPDX-License-Identifier: Apache-2.0

// These declare the types that a program passes in and gets back. All of them are nested in
// `Epitaph`, so a program that imports this module gets one name.
@_exported import EpitaphCapture
@_exported import EpitaphDatabase
@_exported import EpitaphEvents
@_exported import EpitaphHTTP
@_exported import EpitaphMinidump
@_exported import EpitaphSystem
@_exported import EpitaphUpload
@_exported import EpitaphValues
