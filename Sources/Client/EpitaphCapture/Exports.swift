// SPDX-License-Identifier: Apache-2.0

// This module declares `Epitaph`, its values and its levels.
@_exported import EpitaphNames
