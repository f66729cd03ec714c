// SPDX-License-Identifier: Apache-2.0

// The types that a program passes in and gets back, all nested in `Epitaph`.
@_exported import EpitaphCapture
@_exported import EpitaphDatabase
@_exported import EpitaphEvents
@_exported import EpitaphHTTP
@_exported import EpitaphMinidump
@_exported import EpitaphSystem
@_exported import EpitaphUpload
@_exported import EpitaphValues
