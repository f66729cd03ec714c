// SPDX-License-Identifier: Apache-2.0

import CDumpFormat
import Foundation
import TestSupport
import Testing
