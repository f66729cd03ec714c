// SPDX-License-Identifier: Apache-2.0

// The types that a program passes in and gets back. All are nested in `Epitaph`, so importing this
// module adds one name.
@_exported import EpitaphCapture
@_exported import EpitaphDatabase
@_exported import EpitaphEvents
@_exported import EpitaphHTTP
@_exported import EpitaphMinidump
@_exported import EpitaphSystem
@_exported import EpitaphUpload
@_exported import EpitaphValues
