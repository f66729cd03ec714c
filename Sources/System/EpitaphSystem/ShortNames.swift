// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package typealias SystemError = Epitaph.SystemError
