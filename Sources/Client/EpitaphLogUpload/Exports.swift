// SPDX-License-Identifier: Apache-2.0

// Templates and transports, which an uploader is made of; the last declares `Epitaph`.
@_exported import EpitaphHTTP
@_exported import EpitaphSystem
@_exported import EpitaphUpload
@_exported import EpitaphValues
