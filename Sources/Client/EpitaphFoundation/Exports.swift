// SPDX-License-Identifier: Apache-2.0

// This module declares the types that are converted.
@_exported import EpitaphValues
